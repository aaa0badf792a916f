import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const folders = files.flatMap((file) => file.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/')));
const there = [...new Set([...files, ...folders])];

/** Made by a command, so not in Git. */
const made = ['.parley', 'dist'];
/** They tell of places that are gone. */
const history = /^docs\/(moved\.md|decisions\/)/;
const isFile = /^[\w@-][\w@.-]*(\/[\w@.-]+)*(\/|\.(tsx?|mjs|sql|md|py))$/;

const namedIn = (page: string): string[] =>
  [
    ...readFileSync(join(root, page), 'utf8')
      .replace(/```[\s\S]*?```/g, '')
      .matchAll(/`([^`\n]+)`/g),
  ]
    .map(([, token = '']) => token)
    .filter((token) => isFile.test(token))
    .map((token) => token.replace(/\/$/, ''));

/** `a/{b,c}.ts` is two. */
const spelledOut = (name: string): string[] => {
  const [, before = '', among, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return among === undefined ? [name] : among.split(',').map((one) => `${before}${one}${after}`);
};

const exists = (name: string) =>
  made.includes(name) || there.some((path) => path === name || path.endsWith(`/${name}`));

test('every file and folder that a page names is there', () => {
  const pages = files.filter((file) => file.endsWith('.md') && !history.test(file));
  const named = pages.flatMap((page) => namedIn(page).map((name) => ({ page, name })));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !exists(name))).toEqual([]);
});

const rowsOfMoved = readFileSync(join(root, 'docs/moved.md'), 'utf8').match(/^\| `.*$/gm) ?? [];

const namedInColumn = (column: 1 | 2): string[] =>
  rowsOfMoved
    .flatMap((row) => [...(row.split('|')[column] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .flatMap(spelledOut)
    .filter((name) => !name.includes('<'))
    .map((name) => name.replace(/\/$/, ''));

test('every place that moved.md leads to is there', () => {
  expect(rowsOfMoved.length).toBeGreaterThan(100);
  expect(namedInColumn(2).filter((name) => !exists(name))).toEqual([]);
});

test('every file of 84e85df that is gone has a row in moved.md; tests went with what they test, and migrations became one', () => {
  const before = execFileSync('git', ['ls-tree', '-r', '--name-only', '84e85df'], { cwd: root, encoding: 'utf8' });
  const gone = before
    .trim()
    .split('\n')
    .filter((file) => !files.includes(file) && !/\.test\.ts$|\/migrations\//.test(file));
  expect(gone.length).toBeGreaterThan(100);
  const moved = namedInColumn(1);
  const hasRow = (file: string) =>
    moved.some((name) => file === name || file.startsWith(`${name}/`) || file.endsWith(`/${name}`));
  expect(gone.filter((file) => !hasRow(file))).toEqual([]);
});
