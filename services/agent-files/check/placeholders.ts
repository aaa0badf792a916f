/** `{{name}}` in a text that nobody fills in: as it is written, and its name. */
export const unknownPlaceholders = (text: string, known: readonly string[]): { within: string; name: string }[] =>
  [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)]
    .map(([within, name = '']) => ({ within, name }))
    .filter(({ name }) => !known.includes(name));

/** As they are written: `{{date}}, {{language}}`. */
export const inBraces = (names: readonly string[]): string => names.map((name) => `{{${name}}}`).join(', ');
