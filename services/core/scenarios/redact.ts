/** Takes out of a scenario what can be recognised as a number of somebody's or an address; names cannot. */

const dates = String.raw`\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?`;
const emails = String.raw`[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`;
/** Seven digits or more, however they are grouped. */
const phones = String.raw`\+?\(?\d(?:[\s()./-]{0,3}\d){6,}`;
const longNumbers = String.raw`\d{4,}`;
const personal = new RegExp(`(?<date>${dates})|(?<email>${emails})|${phones}|${longNumbers}`, 'gu');

/**
 * Dates stay, e-mail addresses become one, and every digit of a longer number becomes 1: the same number is the same everywhere,
 * so that what a person says still leads to the arguments that are expected.
 */
export const redactText = (text: string): string =>
  text.replaceAll(personal, (found, ...rest) => {
    const { date, email } = rest.at(-1) as { date?: string; email?: string };
    if (date !== undefined) return found;
    return email === undefined ? found.replaceAll(/\d/g, '1') : 'person@example.com';
  });

/** Every text and number in a value; names of fields stay. */
export function redact<Value>(value: Value): Value {
  return redacted(value) as Value;
}

function redacted(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? Number(redactText(String(value))) : value;
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redacted(part)]));
}
