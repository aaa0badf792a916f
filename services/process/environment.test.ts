import { expect, test } from 'vitest';
import { anAddress, aText, aWholeNumber, ConfigurationError, oneOf, readEnvironment } from './environment.ts';

test('all faults are told together, each with the name and what it should hold', () => {
  const env = readEnvironment({ PORT: '70000', URL: 'http://x', MODE: 'other' });
  env.required('PORT', 'a port number', aWholeNumber(1, 65_535));
  env.required('URL', 'a postgres:// address', anAddress('postgres:', 'postgresql:'));
  env.optional('MODE', 'a', '"a" or "b"', oneOf('a', 'b'));
  env.required('KEY', 'a key', aText);
  expect(() => env.finish()).toThrow(ConfigurationError);
  expect(() => env.finish()).toThrow(
    /PORT .*a port number.*\n.*URL .*postgres:\/\/.*\n.*MODE .*"a" or "b".*\n.*KEY is missing.*a key/,
  );
});

test('an empty variable counts as missing', () => {
  const env = readEnvironment({ PORT: '' });
  expect(env.optional('PORT', 7800, 'a port number', aWholeNumber(1, 65_535))).toBe(7800);
  env.finish();
});
