import { expect, test } from 'vitest';
import { isUnfinished } from './unfinished.ts';

test.each([
  ['en', 'I would like a table for Friday and'],
  ['en', 'We cannot come because,'],
  ['en-GB', 'My name is ...'],
  ['en', 'It is on the'],
  ['en', 'My number is zero three zero'],
  ['en', '0 3 0 5 5 5'],
  ['de', 'Ich möchte einen Tisch und'],
  ['de', 'Mein Name ist'],
  ['de-DE', 'Null drei null fünf,'],
  ['de', 'Wir hätten gern einen'],
])('in %s "%s" goes on', (language, text) => {
  expect(isUnfinished(text, language)).toBe(true);
});

test.each([
  ['en', 'A table for four, please.'],
  ['en', 'Four.'],
  ['en', 'At half past seven'],
  ['en', 'Is that what you are looking at?'],
  ['en', 'Would you like this one or?'],
  ['en', 'zero three zero five five five one two three four'],
  ['en', 'thank you very much'],
  ['de', 'Wir sind zu viert.'],
  ['de', 'Um halb acht'],
  ['de', 'Kommen Sie mit?'],
  ['de', 'Ich nehme das'],
  ['en', 'I know what it is'],
  ['en', 'Where are you from'],
  ['de', 'Ich rufe Sie morgen an'],
  ['fr', 'je voudrais une table et'],
  ['en', ''],
])('in %s "%s" is finished', (language, text) => {
  expect(isUnfinished(text, language)).toBe(false);
});
