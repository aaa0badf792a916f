import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Preferences } from '../preferences.ts';

interface Held {
  preferences: Preferences;
  setPreferences(next: Preferences): void;
}

export const PreferencesContext = createContext<Held>(undefined as unknown as Held);
export const usePreferences = (): Held => useContext(PreferencesContext);
