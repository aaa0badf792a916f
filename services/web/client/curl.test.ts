import { expect, test } from 'vitest';
import { asCurl } from './curl.ts';

test('a request becomes a command line with every header and the body', () => {
  const command = asCurl({
    method: 'POST',
    url: 'http://127.0.0.1:7800/api/sessions',
    headers: { Authorization: 'Bearer pk_x', 'Content-Type': 'application/json' },
    body: '{"language":"en"}',
  });
  expect(command.split(' \\\n  ')).toEqual([
    `curl -X POST 'http://127.0.0.1:7800/api/sessions'`,
    `-H 'Authorization: Bearer pk_x'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"language":"en"}'`,
  ]);
});

test('a quote in a value cannot leave the shell argument', () => {
  expect(asCurl({ method: 'GET', url: `http://x/'; echo`, headers: {} })).toBe(`curl 'http://x/'\\''; echo'`);
});
