import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { hashPrefix } from '../../../services/core/sessions/ids.ts';

const log = async (session: string, folder: string) =>
  (
    await promisify(execFile)(process.execPath, ['scripts/parley.ts', 'sessions', 'log', session, '--data', folder])
  ).stdout.split('\n');

const lineOf = (session: string, time: string) =>
  JSON.stringify({ time, session: hashPrefix(session), msg: 'request' });

test('what all processes logged about a session is shown in the order of time, and nothing of another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'logs'));
  const [first, second, other] = [
    lineOf('s_1', '2026-11-22T01'),
    lineOf('s_1', '2026-11-22T02'),
    lineOf('s_2', '2026'),
  ];
  await writeFile(join(folder, 'logs/api.log'), `${second}\n${other}\nno line of ours\n`);
  await writeFile(join(folder, 'logs/worker.log'), `${first}\n`);
  expect(await log('s_1', folder)).toEqual([`In logs this session is ${hashPrefix('s_1')}.`, first, second, '']);
});

test('without logs here it says how a session is called in those of others', async () => {
  expect(await log('s_1', '/nowhere')).toEqual([`In logs this session is ${hashPrefix('s_1')}.`, '']);
});
