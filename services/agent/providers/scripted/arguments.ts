import { fill, onlyPlaceholder, type Values } from './templates.ts';

type Schema = Record<string, unknown>;

/**
 * Fills the templates of a tool's arguments. A text that is exactly one placeholder gets the type that the tool's JSON
 * Schema asks for at this place, and is left out when its value is not known.
 */
export function fillArguments(
  templates: Readonly<Record<string, unknown>>,
  values: Values,
  schema: Schema | undefined,
): Record<string, unknown> {
  return fillObject(templates, values, schema);
}

function fillValue(template: unknown, values: Values, schema: Schema | undefined): unknown {
  if (typeof template === 'string') return fillText(template, values, schema);
  if (Array.isArray(template)) {
    const items = schemaOf(schema?.items);
    return template.map((item) => fillValue(item, values, items)).filter((item) => item !== undefined);
  }
  if (typeof template === 'object' && template !== null) return fillObject(template as Schema, values, schema);
  return template;
}

function fillObject(template: Schema, values: Values, schema: Schema | undefined): Record<string, unknown> {
  const properties = schemaOf(schema?.properties);
  const filled = Object.entries(template).map(([key, value]) => [
    key,
    fillValue(value, values, schemaOf(properties?.[key])),
  ]);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

function fillText(template: string, values: Values, schema: Schema | undefined): unknown {
  if (onlyPlaceholder(template) === undefined) return fill(template, values);
  const text = fill(template, values);
  return text === '' ? undefined : coerce(text, schema);
}

const schemaOf = (value: unknown): Schema | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;

/** A text that does not read as the wanted type stays a text: the tool's validation then says what is wrong. */
function coerce(text: string, schema: Schema | undefined): unknown {
  const types = [schema?.type].flat();
  if (types.includes('integer') || types.includes('number')) return numberFrom(text, types.includes('number')) ?? text;
  if (types.includes('boolean')) return booleans.get(text.trim().toLowerCase()) ?? text;
  return text;
}

function numberFrom(text: string, fractions: boolean): number | undefined {
  const spoken = text.trim().toLowerCase();
  const digits = fractions ? /^[-+]?\d{1,15}(?:[.,]\d{1,10})?$/u : /^[-+]?\d{1,15}$/u;
  return digits.test(spoken) ? Number(spoken.replace(',', '.')) : numberWords.get(spoken);
}

/** People write small numbers as words. */
const numberWords = new Map<string, number>(
  [
    ['one', 'a', 'an', 'eins', 'ein', 'eine', 'einen'],
    ['two', 'zwei', 'zwo'],
    ['three', 'drei'],
    ['four', 'vier'],
    ['five', 'fünf'],
    ['six', 'sechs'],
    ['seven', 'sieben'],
    ['eight', 'acht'],
    ['nine', 'neun'],
    ['ten', 'zehn'],
    ['eleven', 'elf'],
    ['twelve', 'zwölf'],
  ].flatMap((words, index) => words.map((word): [string, number] => [word, index + 1])),
);

const booleans = new Map<string, boolean>([
  ...['true', 'yes', 'y', 'yeah', 'yep', 'sure', 'ja', 'jawohl', 'gerne'].map((word): [string, boolean] => [
    word,
    true,
  ]),
  ...['false', 'no', 'n', 'nope', 'nein'].map((word): [string, boolean] => [word, false]),
]);
