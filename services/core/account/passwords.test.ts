import { expect, test } from 'vitest';
import { hashPassword, isPassword } from './passwords.ts';

test('a password is known again, and no other is taken for it', async () => {
  const stored = await hashPassword('correct horse');
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(await isPassword('correct horse', stored)).toBe(true);
  for (const other of ['Correct horse', 'correct horse ', '']) expect(await isPassword(other, stored)).toBe(false);
});

test('the same letters typed as other characters are the same password', async () => {
  expect(await isPassword('Gru\u0308\u00dfe, Zo\u00eb', await hashPassword('Gr\u00fc\u00dfe, Zoe\u0308'))).toBe(true);
});

test('a hash that another implementation wrote is read', async () => {
  // Of the reference implementation's own tests (phc-winner-argon2, src/test.c: version 0x13, t 2, m 2^16, p 1, "password", "somesalt").
  const theirs = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await isPassword('password', theirs)).toBe(true);
});

test('nobody gets in where there is no password, or none that is understood', async () => {
  for (const stored of [null, '', 'plain', '$argon2i$v=19$m=64,t=2,p=1$c29tZXNhbHQ$x'])
    expect(await isPassword('', stored)).toBe(false);
});
