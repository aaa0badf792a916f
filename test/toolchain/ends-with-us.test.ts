import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endedWithin, signal } from '../../scripts/toolchain/processes.ts';

const support = new URL('../support/world/service-process.ts', import.meta.url).href;
const generousMs = 30_000;

test('a process that a test has frozen dies with the test, when that is killed', async ({ skip }) => {
  skip(spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true']).status !== 0, 'no setpriv here');
  const sleeper = new URL('../support/world/sleeper.mjs', import.meta.url).pathname;
  const program = `
    const { ServiceProcess } = await import('${support}');
    const frozen = new ServiceProcess('${sleeper}', {});
    while (!frozen.output().includes('up')) await new Promise((resolve) => setTimeout(resolve, 20));
    frozen.signal('SIGSTOP');
    process.stdout.write(String(frozen.pid));
    setInterval(() => {}, 1000);`;
  const runner = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = Number(String((await once(runner.stdout, 'data'))[0]));
  expect(pid).toBeGreaterThan(0);
  runner.kill('SIGKILL');
  const ended = await endedWithin(pid, generousMs);
  if (!ended) signal(pid, 'SIGKILL');
  expect(ended).toBe(true);
});
