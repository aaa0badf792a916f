const placeholder = /\{\{\s*([^{}]+?)\s*\}\}/gu;

/** What `{{…}}` can name: slots, and `result` with a path into what a tool answered. */
export interface Values {
  slots: ReadonlyMap<string, string>;
  result?: unknown;
}

/** Fills in a sentence; what is not known becomes an empty text. */
export const fill = (template: string, values: Values): string =>
  template.replace(placeholder, (_whole, path: string) => asText(valueAt(path, values)));

/** The name in a text that is nothing but one placeholder. */
export function onlyPlaceholder(template: string): string | undefined {
  return /^\s*\{\{\s*([^{}]+?)\s*\}\}\s*$/u.exec(template)?.[1];
}

/** By language code, then its base language (`de` for `de-AT`), then `*`, then whatever is there. */
export function inLanguage(texts: Readonly<Record<string, string>>, language: string): string | undefined {
  const wanted = [language, language.split('-')[0] ?? language, '*'].map((code) => code.toLowerCase());
  const entries = Object.entries(texts);
  for (const code of wanted) {
    const found = entries.find(([key]) => key.toLowerCase() === code);
    if (found) return found[1];
  }
  return entries[0]?.[1];
}

function valueAt(path: string, { slots, result }: Values): unknown {
  const [head, ...rest] = path.split('.');
  if (head !== 'result') return slots.get(path);
  return rest.reduce<unknown>(ownProperty, result);
}

function ownProperty(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(asText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
