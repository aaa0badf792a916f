/** Passages of files that people write, which say what a registry says: names in schemas, tables and lists in docs. */

/** What stands between the two comments that bear this name. @throws Error when there is no such passage */
export function withPassage(text: string, name: string, passage: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run generate -->\n`, '<!-- end -->'];
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`there is no passage "${name}" between ${begin.trim()} and ${end}`);
  return `${text.slice(0, from + begin.length)}${passage}\n${text.slice(to)}`;
}

/** The value of a field that stands on one line of a JSON file, after the key that holds it. @throws Error when it is not there */
export function withField(text: string, holder: string, field: string, value: unknown): string {
  const place = new RegExp(
    `("${escaped(holder)}": \\{(?:[^{}]|\\{[^{}]*\\})*?"${escaped(field)}": )(\\[[^\\]]*\\]|"(?:[^"\\\\]|\\\\.)*")`,
  );
  if (!place.test(text)) throw new Error(`there is no field "${field}" in "${holder}"`);
  return text.replace(place, (_, before: string) => `${before}${JSON.stringify(value)}`);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A row of a Markdown table. */
export const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
