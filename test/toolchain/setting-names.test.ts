import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { namesIn, settings } from '../../services/settings/settings.ts';

const root = join(import.meta.dirname, '../..');
const declared = new Set(namesIn(settings));
const ours = /\bPARLEY_[A-Z][A-Z_]*[A-Z]\b/g;

/** What processes of the tests tell each other, and nobody sets. */
const betweenTests = ['PARLEY_TEST_POSTGRES'];

/** The declarations, and products that ours is measured against, which have LiveKit's own variables. */
const elsewhere = /^(services\/settings|test\/bench\/baselines)\//;

async function tracked(...patterns: string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--', ...patterns], { cwd: root });
  return stdout.split('\n').filter(Boolean);
}

const namesInText = (text: string): string[] => [
  ...new Set(text.match(ours)),
  ...[...declared].filter((name) => !name.startsWith('PARLEY_') && text.includes(name)),
];

/** Comments may speak of a variable; what runs may not. */
function namesInCode(path: string, text: string): string[] {
  if (namesInText(text).length === 0) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isIdentifier(node))
      found.push(...namesInText(node.text));
    else if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) found.push(...namesInText(node.getText(source)));
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  visit(source);
  return [...new Set(found)].filter((name) => !betweenTests.includes(name)).map((name) => `${path}: ${name}`);
}

test('no code but the declaration of a setting says the name of its variable; stories, which say it as users do, may', async () => {
  const paths = await tracked('services/**', 'infra/**', 'scripts/**', 'test/**');
  const code = paths.filter((path) => /(?<!\.test)\.(ts|tsx|mjs)$/.test(path) && !elsewhere.test(path));
  expect(code.length).toBeGreaterThan(100);
  const found = await Promise.all(
    code.map(async (path) => namesInCode(path, await readFile(join(root, path), 'utf8'))),
  );
  expect(found.flat()).toEqual([]);
});

test('what code says is found, in whichever way, and what comments say is not', () => {
  const say = (text: string) => namesInCode('x.ts', text).map((line) => line.replace('x.ts: ', ''));
  expect(say('// PARLEY_PORT\n/** LIVEKIT_URL */\nconst a = 1;')).toEqual([]);
  expect(say("env['PARLEY_PORT']")).toEqual(['PARLEY_PORT']);
  expect(say('env.LIVEKIT_URL')).toEqual(['LIVEKIT_URL']);
  expect(say('({ PARLEY_PORT: 1 })')).toEqual(['PARLEY_PORT']);
  expect(say(['`', '$', '{x} or PARLEY_PORT`'].join(''))).toEqual(['PARLEY_PORT']);
  expect(say('/^PARLEY_PORT$/')).toEqual(['PARLEY_PORT']);
});

/** Variables of pipelines, which are set where those run. */
const ofPipelines = /^PARLEY_(PUSH_URL|PUSH_SECRET|PASSES_URL|PASSES_SECRET|REPOSITORY|VERSION|COMMENT_TOKEN)$/;

test('what pages and the image say of variables is declared', async () => {
  const pages = await tracked('*.md', 'docs/**', 'Dockerfile');
  const found = await Promise.all(
    pages.map(async (path) => {
      const names = (await readFile(join(root, path), 'utf8')).match(ours) ?? [];
      return names.filter((name) => !declared.has(name) && !ofPipelines.test(name)).map((name) => `${path}: ${name}`);
    }),
  );
  expect(found.flat()).toEqual([]);
});
