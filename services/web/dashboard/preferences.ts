import { type Language, languageOf, languages } from './words/use-words.ts';

export type Theme = 'system' | 'light' | 'dark';
export const themes = ['system', 'light', 'dark'] as const satisfies readonly Theme[];

export interface Preferences {
  language: Language;
  theme: Theme;
}

const key = 'parley.preferences';

/** What this browser remembers of how its person likes the pages; the browser's own language until they choose another. */
export function readPreferences(): Preferences {
  const { language, theme } = stored();
  return {
    language: language !== undefined && language in languages ? language : languageOf(navigator.languages),
    theme: themes.find((one) => one === theme) ?? 'system',
  };
}

function stored(): Partial<Preferences> {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? '{}') ?? {}) as Partial<Preferences>;
  } catch {
    // Storage may be forbidden, or hold what an older page wrote.
    return {};
  }
}

export function writePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(key, JSON.stringify(preferences));
  } catch {
    return;
  }
}

/** Tells the document: its language for screen readers, its colours by `color-scheme` (design/tokens.css). */
export function applyPreferences({ language, theme }: Preferences): void {
  const { documentElement: root } = document;
  root.lang = language;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}
