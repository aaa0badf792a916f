import { render } from 'preact';
import { keepSignIn, storedHint } from './account/sign-in-keeper.ts';
import { App } from './app.tsx';
import { applyPreferences, readPreferences } from './preferences.ts';

const page = document.getElementById('page');
const preferences = readPreferences();
applyPreferences(preferences);
const keeper = keepSignIn({ origin: location.origin, hint: storedHint, now: () => performance.now() });
if (page) render(<App origin={location.origin} keeper={keeper} preferences={preferences} />, page);
