/**
 * Writes services/contract/generated/*.ts from schemas/*.schema.json and from the registry of providers, and what schemas and docs repeat
 * of registries; docs/settings.md from the declared settings; the next line of services/store/functions/releases.txt. `--check` writes nothing and fails when a file is not current. The types describe what validation yields: a field with a default is always there.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { functionReleases, releasesFile } from './generate/function-releases.ts';
import { providerFactsText } from './generate/provider-facts.ts';
import { settingsPage } from './generate/settings-page.ts';
import { writtenPassages } from './generate/written-passages.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const root = new URL('../', import.meta.url);
const names = ['agent', 'tool', 'scenario', 'policies', 'passes', 'api', 'tenant'];
const banner = '// Generated from schemas/ by `npm run generate`. Do not edit.';

async function typesOf(name: string, text: string): Promise<string> {
  const schema: unknown = JSON.parse(text);
  return compile(withPropertiesForDefinitions(requireDefaults(schema)) as JSONSchema, name, {
    bannerComment: banner,
    cwd: fileURLToPath(new URL('schemas/', root)),
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 120 },
  });
}

/** The same schema in which every property that has a default is required. */
function requireDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(requireDefaults);
  if (!isRecord(schema)) return schema;
  // A reference with words of its own beside it would be generated as one more type.
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref };
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, requireDefaults(value)]));
  if (!isRecord(schema.properties) || copy.type !== 'object') return copy;
  const filled = Object.entries(schema.properties)
    .filter(([, property]) => isRecord(property) && 'default' in property)
    .map(([key]) => key);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return { ...copy, required: [...new Set([...required, ...filled])] };
}

/** A schema of definitions only has nothing to generate from: its definitions become properties. */
function withPropertiesForDefinitions(schema: unknown): unknown {
  if (!isRecord(schema) || schema.properties !== undefined || !isRecord(schema.$defs)) return schema;
  const keys = Object.keys(schema.$defs);
  const properties = Object.fromEntries(keys.map((key) => [key, { $ref: `#/$defs/${key}` }]));
  return { ...schema, type: 'object', additionalProperties: false, properties, required: keys };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const help = `Usage: npm run generate [-- --check]

Writes services/contract/generated, and what schemas and docs repeat of registries; --check only says what is not current.`;

await runScript(async (args) => {
  const { values } = readArguments({
    args,
    options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) console.log(help);
  else await generate({ onlyCheck: values.check ?? false });
});

interface Generated {
  /** From the root of the repository. */
  file: string;
  text: string;
}

async function generate({ onlyCheck }: { onlyCheck: boolean }): Promise<void> {
  const stale: Generated[] = [];
  for (const generated of await everything())
    if ((await currentText(generated.file)) !== generated.text) stale.push(generated);
  if (onlyCheck) {
    for (const { file } of stale) console.error(`${file} is not current: run npm run generate.`);
    process.exitCode = stale.length === 0 ? 0 : 1;
    return;
  }
  for (const { file, text } of stale) await writeFile(new URL(file, root), text);
  const names = stale.map(({ file }) => file).join(', ');
  console.log(stale.length === 0 ? 'What is generated is current.' : `Generated: ${names}.`);
}

/** Types are made from the schemas as they will be. */
async function everything(): Promise<Generated[]> {
  const written = await Promise.all(
    writtenPassages.map(async ({ file, write }) => ({
      file,
      text: await formatted(file, await write(await currentText(file))),
    })),
  );
  const schemas = new Map(written.map(({ file, text }) => [file, text]));
  const types = names.map(async (name) => {
    const file = `schemas/${name}.schema.json`;
    const text = await typesOf(name, schemas.get(file) ?? (await currentText(file)));
    return { file: `services/contract/generated/${name}.ts`, text };
  });
  const facts = { file: 'services/contract/generated/providers.ts', text: await providerFactsText() };
  const page = { file: 'docs/settings.md', text: settingsPage() };
  const releases = { file: releasesFile, text: await functionReleases(root) };
  return [...written, ...(await Promise.all(types)), facts, page, releases];
}

function currentText(file: string): Promise<string> {
  // A file that is not there yet is not current.
  return readFile(new URL(file, root), 'utf8').catch(() => '');
}

/** As `npm run check` wants it: a list that has grown may take more lines. Markdown is left as it is. */
async function formatted(file: string, text: string): Promise<string> {
  if (!file.endsWith('.json')) return text;
  const format = promisify(execFile)(fileURLToPath(new URL('node_modules/.bin/biome', root)), [
    'format',
    `--stdin-file-path=${file}`,
  ]);
  format.child.stdin?.end(text);
  return (await format).stdout;
}
