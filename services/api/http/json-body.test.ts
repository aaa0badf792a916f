import { expect, test } from 'vitest';
import { parseJson } from './json-body.ts';

const bytes = Buffer.from('{"a":1}');

test('JSON in UTF-8 is read, with or without a charset that says so', () => {
  for (const type of [
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/json; x=y',
  ]) {
    expect(parseJson(bytes, type)).toEqual({ a: 1 });
  }
});

test('no body is a body without fields, whatever its content type', () => {
  expect(parseJson(Buffer.alloc(0), 'text/plain')).toEqual({});
});

test('other content types are refused before anything is parsed', () => {
  for (const type of [undefined, '', 'text/json', 'application/json-patch+json', 'application/json; charset=latin1']) {
    expect(() => parseJson(Buffer.from('rubbish'), type)).toThrow(expect.objectContaining({ status: 415 }));
  }
});

test('what is not JSON, or not UTF-8, is invalid JSON', () => {
  for (const broken of ['{', 'nul', "{'a':1}", '{"a":1}x']) {
    expect(() => parseJson(Buffer.from(broken), 'application/json')).toThrow(
      expect.objectContaining({ code: 'invalid_json' }),
    );
  }
  expect(() => parseJson(Buffer.from([0x22, 0xc3, 0x22]), 'application/json')).toThrow(
    expect.objectContaining({ code: 'invalid_json' }),
  );
});
