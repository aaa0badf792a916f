import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWholeProgram } from './program.ts';

const outputs = {
  url: 'https://acme.example.com',
  credentials: 'kubectl …',
  backups: { kind: 'statefulset', namespace: 'parley-acme' },
};
let tools: string;

/** Pulumi as it tells the outputs of a stack, and a kubectl that says what it was called with. */
beforeAll(async () => {
  tools = await mkdtemp(join(tmpdir(), 'parley-in-stack-'));
  await tool(
    'pulumi',
    `case "$*" in *older*) echo '{"url":"https://old.example.com"}' ;; *) echo '${JSON.stringify(outputs)}' ;; esac`,
  );
  await tool('kubectl', `printf '%s\n' "$@"; case "$*" in *broken*) exit 3 ;; esac`);
});

afterAll(() => rm(tools, { recursive: true, force: true }));

async function tool(name: string, does: string): Promise<void> {
  await writeFile(join(tools, name), `#!/bin/sh\n${does}\n`);
  await chmod(join(tools, name), 0o755);
}

function parley(...args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  const env = { ...process.env, PATH: `${tools}:${process.env.PATH}` };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['scripts/parley.ts', ...args], { env }, (_error, out, err) =>
      resolve({ status: child.exitCode ?? -1, out, err }),
    );
  });
}

const inWorker = ['--namespace', 'parley-acme', 'exec', 'deploy/worker', '--', 'parley'];

test('a command on a stack runs in its worker, with what else was said, and ends as it ends there', async () => {
  const ended = await parley('sessions', 'end', '--stack', 'acme', 's_1', '--tenant', 'acme');
  expect(ended.out.trim().split('\n')).toEqual([...inWorker, 'sessions', 'end', 's_1', '--tenant', 'acme']);
  expect(ended.status).toBe(0);
  expect((await parley('credentials', 'show', 'broken', '--stack=acme')).status).toBe(1);
});

test('who needs the keys for people runs where they are', async () => {
  const { out } = await parley('people', 'reset-password', 'anna@acme.example.com', '--stack', 'acme');
  expect(out).toContain('\ndeploy/api\n');
});

test('a command that wants an address is given that of the stack', async () => {
  const { out } = await parley('invitation', 'show', '--stack', 'acme');
  expect(out.trim().split('\n')).toEqual([...inWorker, 'invitation', 'show', '--url', outputs.url]);
});

test('what cannot be done on a stack says what to do', async () => {
  const older = await parley('sessions', 'list', '--stack', 'older');
  expect(older.err).toMatch(/does not tell its namespace.*pulumi up/);
  const both = await parley('sessions', 'list', '--stack', 'acme', '--data', 'x');
  expect(both.err).toMatch(/'--stack <name>' cannot be used with option '--data <folder>'/);
});

test('every command that works on an installation takes a stack for it', async () => {
  const program = await openWholeProgram();
  const verbs = program.commands.flatMap((noun) => (noun.commands.length > 0 ? noun.commands : [noun]));
  const optionsOf = (verb: (typeof verbs)[number]) => verb.options.map(({ long }) => long);
  const without = verbs.filter(
    (verb) => optionsOf(verb).includes('--database-url') && !optionsOf(verb).includes('--stack'),
  );
  // It writes into a folder of agents here.
  expect(without.map((verb) => `${verb.parent?.name()} ${verb.name()}`)).toEqual(['scenarios new']);
});
