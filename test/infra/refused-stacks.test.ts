import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProject, openPulumi, type PulumiHome, ShellStack, useExample } from './support/pulumi.ts';

const minute = 60_000;

let home: PulumiHome;
let project: string;

beforeAll(async () => {
  home = await openPulumi();
  project = await openProject(home);
  await writeFile(join(project, 'rds.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
}, 60 * minute);

afterAll(() => home?.[Symbol.asyncDispose]());

/** The plan of the example, changed as `change` does. */
async function planOf(name: string, change?: (stack: ShellStack) => Promise<unknown>): Promise<string> {
  await useExample(project, 'acme', name);
  const stack = new ShellStack(home, project, name);
  await stack.init();
  await change?.(stack);
  return stack.preview();
}

test('a tenant that costs more than its owner allows is refused before anything is made', async () => {
  const dear = planOf('dear', (stack) => stack.set('parley:cost.monthlyFloorUsd', '500'));
  await expect(dear).rejects.toThrow(/Policy monthly-cost forbids this stack: it costs about [\d.]+ USD a month/);
});

test('faults of the configuration are told together, without a stack trace', async () => {
  const faulty = planOf('faulty', async (stack) => {
    await stack.set('parley:capacity.voice', '9000');
    await stack.set('parley:images.services', 'parley:latest');
  });
  const message = await faulty.catch((error: Error) => error.message);
  expect(message).toContain('parley:capacity.voice: "capacity.voice" must be between 0 and 5000, not 9000.');
  expect(message).toContain('parley:images.services: "images.services" is not right');
  expect(message).not.toContain('at readTenant');
});
