/**
 * Writes services/contract/generated/*.ts from schemas/*.schema.json and, for the names of models and voices, from the installed
 * plugins. `--check` writes nothing and fails when a file is not current. The types describe what validation yields: a field with a default is always there.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { pluginNamesText } from './generate/plugin-names.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const schemaFolder = new URL('../schemas/', import.meta.url);
const generatedFolder = new URL('../services/contract/generated/', import.meta.url);
const names = ['agent', 'tool', 'scenario', 'policies', 'passes', 'api', 'tenant'];
const banner = '// Generated from schemas/ by `npm run generate`. Do not edit.';

async function typesOf(name: string): Promise<string> {
  const schema: unknown = JSON.parse(await readFile(new URL(`${name}.schema.json`, schemaFolder), 'utf8'));
  return compile(withPropertiesForDefinitions(requireDefaults(schema)) as JSONSchema, name, {
    bannerComment: banner,
    cwd: schemaFolder.pathname,
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

const currentText = (name: string): Promise<string> =>
  readFile(new URL(`${name}.ts`, generatedFolder), 'utf8').catch(() => '');

const help = `Usage: npm run generate [-- --check]

Writes services/contract/generated from schemas/ and the installed plugins; --check only says what is not current.`;

await runScript(async (args) => {
  const { values } = readArguments({
    args,
    options: { check: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) console.log(help);
  else await generate({ onlyCheck: values.check ?? false });
});

async function generate({ onlyCheck }: { onlyCheck: boolean }): Promise<void> {
  const generated = [
    ...(await Promise.all(names.map(async (name) => ({ name, text: await typesOf(name) })))),
    { name: 'plugin-names', text: await pluginNamesText() },
  ];
  const stale: string[] = [];
  for (const { name, text } of generated) if ((await currentText(name)) !== text) stale.push(name);
  if (onlyCheck) {
    for (const name of stale)
      console.error(`services/contract/generated/${name}.ts is not current: run npm run generate.`);
    process.exitCode = stale.length === 0 ? 0 : 1;
    return;
  }
  await mkdir(generatedFolder, { recursive: true });
  for (const { name, text } of generated) await writeFile(new URL(`${name}.ts`, generatedFolder), text);
  console.log(stale.length === 0 ? 'The generated types are current.' : `Generated: ${stale.join(', ')}.`);
}
