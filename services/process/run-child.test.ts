import { expect, test } from 'vitest';
import { type ChildRun, runChild } from './run-child.ts';

const minuteMs = 60_000;
const usual = { env: process.env, timeoutMs: minuteMs, maxOutputBytes: 1_000 };
const run = (program: string, options: Partial<ChildRun> = {}) =>
  runChild(process.execPath, ['-e', program], { ...usual, signal: new AbortController().signal, ...options });

test('what it was told and what it said', async () => {
  const program = `process.stdin.pipe(process.stdout); console.error('mind the gap'); process.exitCode = 3;`;
  expect(await run(program, { input: 'Grüße' })).toEqual({
    ...{ status: 3, output: Buffer.from('Grüße'), lastWords: 'mind the gap\n' },
  });
});

test('an input that stays open does not end before the child does', async () => {
  const program = `let over = false; process.stdin.on('end', () => { over = true; });
    process.stdin.once('data', () => setTimeout(() => { console.log(over); process.exit(); }, 50));`;
  expect(String((await run(program, { input: '\n', inputStaysOpen: true })).output)).toBe('false\n');
});

const forEver = 'setInterval(() => {}, 1_000);';
const withChild = `require('node:child_process').spawn(process.execPath, ['-e', '${forEver}'], { stdio: 'inherit' }); ${forEver}`;

test.each([
  ['taking too long', withChild, { timeoutMs: 200 }],
  ['saying too much', `console.log('x'.repeat(2_000)); ${forEver}`, {}],
  ['the signal', withChild, { signal: AbortSignal.timeout(200) }],
  ['the signal', forEver, { signal: AbortSignal.abort() }],
] as const)('for %s it is killed, with what it has started', async (killedFor, program, options) => {
  expect(await run(program, options)).toMatchObject({ status: null, killedFor });
});

test('a program that is not there is an error', async () => {
  const options = { ...usual, signal: new AbortController().signal };
  await expect(runChild('no-such-program', [], options)).rejects.toThrow('ENOENT');
});
