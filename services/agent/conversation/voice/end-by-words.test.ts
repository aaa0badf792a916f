import { expect, test } from 'vitest';
import { endByWords } from './end-by-words.ts';

test.each([
  ['en', 'I would like a table for Friday and'],
  ['en', 'We cannot come because,'],
  ['en-GB', 'My name is ...'],
  ['en', 'It is on the'],
  ['en', 'Could I have the soup and?'],
  ['en', 'My number is zero three zero'],
  ['en', '0 3 0 5 5 5'],
  ['en', 'My phone number is 0305 55'],
  ['en', 'You can call me at 555 12'],
  ['en', '+49 30 555'],
  ['en', 'The address is 12'],
  ['en', 'I live at number fourteen'],
  ['de', 'Ich möchte einen Tisch und'],
  ['de', 'Mein Name ist'],
  ['de-DE', 'Null drei null fünf,'],
  ['de', 'Meine Telefonnummer ist 030 55'],
  ['de', 'Meine Adresse ist die Lindenstraße'],
  ['de', 'Wir hätten gern einen'],
])('in %s "%s" goes on', (language, text) => {
  expect(endByWords(text, language)).toBe('open');
});

test.each([
  ['en', 'Is that what you are looking at?'],
  ['en', 'Would you like this one or?'],
  ['en', 'Did you say 555?'],
  ['de', 'Kommen Sie mit?'],
  ['de', 'Sie haben morgen offen, oder?'],
  ['en', 'A table for four, please.'],
  ['en', 'No, thank you.'],
  ['de', 'Ja, bitte.'],
])('in %s "%s" is finished, and waits for the answer', (language, text) => {
  expect(endByWords(text, language)).toBe('finished');
});

test.each([
  ['en', 'A table for four.'],
  ['en', 'Four.'],
  ['en', 'At half past seven'],
  ['en', 'At 19:30.'],
  ['en', 'In 2027.'],
  ['en', 'My order number is A-1001.'],
  ['en', 'zero three zero five five five one two three four'],
  ['en', 'My phone number is 030 5555 1234'],
  ['en', 'The address is 12 Garden Street.'],
  ['en', 'My name is Anna Miller.'],
  ['de', 'Wir sind zu viert.'],
  ['de', 'Um halb acht'],
  ['de', 'Ich nehme das'],
  ['de', 'Meine Adresse ist die Lindenstraße 12.'],
  ['de', 'Ich rufe Sie morgen an'],
  ['en', 'I know what it is'],
  ['en', 'Where are you from'],
  ['fr', 'je voudrais une table et'],
  ['en', ''],
])('in %s nothing is known of "%s"', (language, text) => {
  expect(endByWords(text, language)).toBe('unknown');
});
