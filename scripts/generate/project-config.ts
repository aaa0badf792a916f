/** `config:` of Pulumi.yaml, from the schema of a stack's configuration. */
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';

interface Field {
  type?: string | string[];
  enum?: unknown[];
  $ref?: string;
  default?: unknown;
  description?: string;
}

const schemaFile = new URL('../../schemas/tenant.schema.json', import.meta.url);

/** Pulumi's own words for types. */
const types: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'integer',
  boolean: 'boolean',
  object: 'object',
};

/**
 * What can be left out and has no default cannot be declared: Pulumi asks for whatever has none. `secrets` is left out, too: encrypted as a
 * whole it is a text, which Pulumi would take for no object.
 */
function declared({ properties, required }: { properties: Record<string, Field>; required: string[] }) {
  const fields = Object.entries(properties).filter(
    ([name, field]) => name !== 'secrets' && (required.includes(name) || field.default !== undefined),
  );
  return fields.map(([name, field]) => [
    name,
    {
      type: typeOf(field),
      ...(field.description === undefined ? {} : { description: field.description }),
      ...(field.default === undefined ? {} : { default: field.default }),
    },
  ]);
}

/** Enumerations and references are of texts. */
const typeOf = ({ type }: Field): string => (typeof type === 'string' ? (types[type] ?? 'string') : 'string');

const marker = '# What follows is written by npm run generate, from schemas/tenant.schema.json.\n';

/** Everything behind the marker. @throws Error when there is none */
export function withProjectConfig(text: string): string {
  const at = text.indexOf(marker);
  if (at === -1) throw new Error(`Pulumi.yaml has no line "${marker.trim()}"`);
  const schema = JSON.parse(readFileSync(schemaFile, 'utf8')) as Parameters<typeof declared>[0];
  const config = stringify({ config: Object.fromEntries(declared(schema)) }, { lineWidth: 0 });
  return `${text.slice(0, at + marker.length)}${config}`;
}
