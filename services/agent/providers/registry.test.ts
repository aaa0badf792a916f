import { execFile } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { providers } from './registry.ts';

const folder = pathToFileURL(`${import.meta.dirname}/`).href;

/** Prints each module that is loaded with the registry. */
const program = `
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });
  await import('${folder}registry.ts');
`;

test('the registry loads no plugin: whoever reads it pays for nothing else', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const loaded = stdout.trim().split('\n');
  expect(loaded).toContain(`${folder}registry.ts`);
  expect(loaded.filter((url) => !url.startsWith(folder))).toEqual([]);
  expect(loaded).toHaveLength(providers.length + 1);
});

test('a provider has a name of its own and says what it can do', () => {
  const names = providers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { speech, model, realtime } of providers) expect([speech, model, realtime].some(Boolean)).toBe(true);
});

test('what a provider loads is what the host calls', async () => {
  for (const { speech, model, realtime } of providers) {
    if (speech)
      expect(await speech.load()).toMatchObject({ listener: expect.any(Function), voice: expect.any(Function) });
    if (model) expect(await model.load()).toMatchObject({ make: expect.any(Function) });
    if (realtime) expect(await realtime.load()).toMatchObject({ connect: expect.any(Function) });
  }
});
