/** Secrets that stand in the stack's file for everybody to read. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Refusal } from './refusal.ts';

type Fields = Record<string, unknown>;

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An encrypted value is a map with the one field `secure`: a name's, or that of all of them together. */
const isReadable = (value: unknown): boolean => typeof value === 'string' && value !== '';
const namesIn = (fields: unknown): Fields => (isMap(fields) && !('secure' in fields) ? fields : {});

/** @param config what stands under `config:` in the stack's file. @returns paths of secrets that are not encrypted */
export function plaintextIn(config: Fields): string[] {
  const [secrets, database] = [namesIn(config['parley:secrets']), namesIn(config['parley:database'])];
  const keys = namesIn(config['parley:keys']);
  const named = Object.keys(secrets).filter((name) => isReadable(secrets[name]));
  const urls = ['url', 'adminUrl'].filter((name) => isReadable(database[name]));
  const open = ['master', 'people'].filter((name) => isReadable(keys[name]));
  return [
    ...named.map((name) => `secrets.${name}`),
    ...urls.map((name) => `database.${name}`),
    ...open.map((name) => `keys.${name}`),
  ];
}

/** Looks at the stack's file beside Pulumi.yaml, where there is one. @throws Refusal that says how each is encrypted */
export async function refusePlaintext(root: string, stack: string): Promise<void> {
  // Configuration may come from elsewhere: another file, or a service.
  const text = await readFile(join(root, `Pulumi.${stack}.yaml`), 'utf8').catch(() => '');
  const file = parse(text) as unknown;
  const config = isMap(file) && isMap(file.config) ? file.config : {};
  const paths = plaintextIn(config);
  if (paths.length === 0) return;
  const commands = paths.map((path) => `  pulumi config set --secret --path 'parley:${path}'`);
  throw new Refusal(
    `Pulumi.${stack}.yaml holds secrets that anybody can read who sees the file. Change them where they are from, then encrypt them:\n${commands.join('\n')}`,
  );
}
