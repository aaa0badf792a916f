/** How Pulumi's protocol writes what JSON has no word for. */
const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const signatureKey = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';

export type Properties = Record<string, unknown>;

export const isUnknown = (value: unknown): boolean => value === unknownValue;

export const hasUnknown = (value: unknown): boolean => JSON.stringify(value ?? null).includes(unknownValue);

/** The same properties with every secret replaced by what it holds. */
export const withoutSecrets = (properties: Properties): Properties => unwrapped(properties) as Properties;

function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  if (value === null || typeof value !== 'object') return value;
  const fields = value as Properties;
  if (fields[signatureKey] === secretSignature) return unwrapped(fields.value);
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, unwrapped(field)]));
}

/** Names of the properties, at the top, that differ. */
export function changedProperties(before: Properties, after: Properties): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => stable(before[name]) !== stable(after[name]));
}

/** JSON whose fields are in alphabetical order, so that equal values are equal texts. */
function stable(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, field: unknown) =>
    field !== null && typeof field === 'object' && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/** What stands at a path such as `spec.template`, or undefined. */
export function valueAt(properties: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Properties | undefined)?.[name], properties);
}

export const differAt = (before: Properties, after: Properties, path: string): boolean =>
  stable(valueAt(before, path)) !== stable(valueAt(after, path));
