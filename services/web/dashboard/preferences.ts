import { ofBrowser, storedJson } from '../client/stored.ts';
import { type Language, languageOf, languages } from './words/use-words.ts';

export type Theme = 'system' | 'light' | 'dark';
export const themes = ['system', 'light', 'dark'] as const satisfies readonly Theme[];

export interface Preferences {
  language: Language;
  theme: Theme;
}

const kept = storedJson(ofBrowser, 'parley.preferences');

/** What this browser remembers of how its person likes the pages; the browser's own language until they choose another. */
export function readPreferences(): Preferences {
  const { language, theme } = (kept.read() ?? {}) as Partial<Preferences>;
  return {
    language: language !== undefined && language in languages ? language : languageOf(navigator.languages),
    theme: themes.find((one) => one === theme) ?? 'system',
  };
}

export const writePreferences = (preferences: Preferences): void => kept.write(preferences);

/** Tells the document: its language for screen readers, its colours by `color-scheme` (design/tokens.css). */
export function applyPreferences({ language, theme }: Preferences): void {
  const { documentElement: root } = document;
  root.lang = language;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}
