import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onOwnNetwork } from '../support/network/own-network.ts';
import { endsWithUs } from '../support/world/ends-with-us.ts';
import { type FaultClass, faultClasses, needsNodes } from './faults.ts';
import { stories } from './stories.ts';
import type { Told } from './tell-stories.ts';

const teller = new URL('tell-stories.ts', import.meta.url).pathname;

/** A story is as long as its faults, and then waits for who vanished to be missed. */
const whatHangsMs = 5 * 60_000;

/** What came of each story, as it is told by a process on a network of its own. */
function tellStories(): { told: readonly Promise<Told>[]; ended: Promise<unknown> } {
  const told = stories.map(() => Promise.withResolvers<Told>());
  const child = spawn(...endsWithUs(...onOwnNetwork(process.execPath, [teller])), {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-20_000);
  });
  child.on('message', (message) => {
    const { outcome } = message as Told;
    told[stories.findIndex(({ seed }) => seed === outcome.seed)]?.resolve(message as Told);
  });
  const ended = once(child, 'close').then(([code]) => {
    for (const { reject } of told) reject(new Error(`The stories ended (${code}) before this one:\n${errors}`));
  });
  // A story that nobody waits for any more fails for nobody.
  for (const { promise } of told) promise.catch(() => undefined);
  return { told: told.map(({ promise }) => promise), ended };
}

describe('while the network, PostgreSQL and clocks fail', () => {
  let telling: ReturnType<typeof tellStories>;

  beforeAll(() => {
    telling = tellStories();
  });

  // What it started and wrote goes with it.
  afterAll(() => telling?.ended, whatHangsMs);

  const toldOf = (name: FaultClass): Promise<Told> => {
    const index = stories.findIndex(({ faults }) => faults.some((fault) => fault.class === name));
    return telling.told[index] as Promise<Told>;
  };

  test.for(faultClasses)(
    '%s: people are answered, known to be there and billed right; nothing is done twice',
    { timeout: whatHangsMs },
    async (name, { skip }) => {
      const { outcome, hasNodes, output } = await toldOf(name);
      skip(needsNodes(name) && !hasNodes, 'this machine allows no network namespaces');
      expect(outcome.faults.map((fault) => fault.class)).toContain(name);
      expect(outcome.violations, `${outcome.history}\n${output}`).toEqual([]);
    },
  );
});
