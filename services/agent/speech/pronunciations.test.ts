import { expect, test } from 'vitest';
import { pronouncer } from './pronunciations.ts';

test('a word is said as its entry spells it, however it is written, and only as a whole', () => {
  const said = pronouncer({ Nguyen: 'Win', 'St. Gilgen': 'Sankt Gilgen' });
  expect(said('Mr NGUYEN, Nguyens and (nguyen)!')).toBe('Mr Win, Nguyens and (Win)!');
  expect(said('In St. Gilgen am See')).toBe('In Sankt Gilgen am See');
});

test('of two entries that fit the longer one counts', () => {
  expect(pronouncer({ Linde: 'Lin-deh', 'Zur Linde': 'Tsoor Lin-deh' })('Gasthaus zur Linde')).toBe(
    'Gasthaus Tsoor Lin-deh',
  );
});

test('marks in an entry mean themselves', () => {
  expect(pronouncer({ 'A-1 (neu)': 'A eins neu', 'C++': 'C plus plus' })('A-1 (neu) in C++.')).toBe(
    'A eins neu in C plus plus.',
  );
});

test('without entries nothing changes', () => {
  expect(pronouncer({})('As it is.')).toBe('As it is.');
});
