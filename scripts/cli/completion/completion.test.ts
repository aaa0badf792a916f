import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { openWholeProgram } from '../program.ts';
import { bashCompletion } from './shells/bash.ts';
import { completionsOf } from './shells/completions.ts';
import { zshCompletion } from './shells/zsh.ts';

const run = promisify(execFile);
let bash: string;
let zsh: string;

beforeAll(async () => {
  const completions = completionsOf(await openWholeProgram());
  bash = bashCompletion(completions);
  zsh = zshCompletion(completions);
});

/** What bash offers where the last of the words is being written. */
async function offeredByBash(...words: string[]): Promise<string[]> {
  const asked = `COMP_WORDS=(parley "$@"); COMP_CWORD=$#; _parley; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['--norc', '-c', `${bash}\n${asked}`, 'bash', ...words]);
  return stdout.split('\n').filter(Boolean);
}

/** What zsh is told to offer there: its functions say what they were given. */
async function offeredByZsh(...words: string[]): Promise<string> {
  const says = `compdef() { : }; _describe() { print -rl -- "\${choices[@]}" }; _arguments() { print -rl -- "$words[1] $CURRENT" "$@" }`;
  const asked = `words=(parley "$@"); CURRENT=$#words; _parley`;
  const { stdout } = await run('zsh', ['-f', '-c', `${says}\n${zsh}\n${asked}`, 'zsh', ...words]);
  return stdout;
}

test('bash completes nouns, verbs and options', async () => {
  expect(await offeredByBash('ag')).toEqual(['agents']);
  expect(await offeredByBash('agents', 'val')).toEqual(['validate']);
  expect(await offeredByBash('agents', 'validate', '--p')).toEqual(['--production', '--policies']);
  expect(await offeredByBash('doctor', '--st')).toEqual(['--stack']);
});

test('bash completes what an option or an argument takes: a choice, a folder, a file', async () => {
  expect(await offeredByBash('scenarios', 'run', '--model', '')).toEqual(['scripted', 'declared']);
  expect(await offeredByBash('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh']));
  expect(await offeredByBash('agents', 'validate', '--agents', 'agen')).toEqual(['agents']);
  expect(await offeredByBash('agents', 'validate', '--agents', 'package')).toEqual([]);
  expect(await offeredByBash('scenarios', 'run', '--junit', 'package.j')).toEqual(['package.json']);
  expect(await offeredByBash('sessions', 'list', '--tenant', '')).toEqual([]);
});

test('zsh completes the same, and shows what each does', async () => {
  expect(await offeredByZsh('')).toContain('credentials:regenerate, show\n');
  expect(await offeredByZsh('agents', '')).toContain('validate:Checks the agents, without network\n');
  const options = await offeredByZsh('scenarios', 'run', '--mo');
  expect(options).toMatch(/^run 2\n/);
  expect(options).toMatch(/^--model\[.*\\:.*\]:value:\(scripted declared\)$/m);
  expect(options).toMatch(/^--agents\[folder of the agents\]:value:_files -\/$/m);
  expect(await offeredByZsh('doctor', '')).toMatch(/^doctor 2\n[\s\S]*--stack\[/);
});
