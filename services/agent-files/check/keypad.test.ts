import { expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';

const faultsOf = (keypad: string, url = 'https://api.example.com/codes/{{code}}'): string[] =>
  checkFiles(
    new Map([
      [
        'tools/check.yaml',
        `name: check\ndescription: Checks.\nparameters: { type: object, properties: { id: { type: string } } }\nkeypad: ${keypad}\nhttp: { url: "${url}" }\n`,
      ],
    ]),
  ).faults.map(({ line, rule }) => `${line} ${rule}`);

test('what the person types may be part of the address, and is none of the model’s parameters', () => {
  expect(faultsOf('{ parameter: code, digits: 4 }')).toEqual([]);
  expect(faultsOf('{ parameter: id, digits: 4 }', 'https://api.example.com/codes')).toEqual(['4 keypad']);
});

test('no more digits are needed than fit', () => {
  expect(faultsOf('{ parameter: code, digits: 4, least: 5 }')).toEqual(['4 keypad']);
});

test('a telephone has no other keys to end with', () => {
  expect(faultsOf('{ parameter: code, digits: 4, end: x }')).toHaveLength(1);
});
