import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plaintextIn, refusePlaintext } from './plaintext.ts';

const secure = { secure: 'v1:abc:def' };

test('secrets and addresses of databases with their passwords are to be encrypted, whichever of them is', () => {
  expect(
    plaintextIn({
      'parley:secrets': { OPENAI_API_KEY: 'sk-1', GIT_TOKEN: secure },
      'parley:database': { kind: 'existing', url: secure, adminUrl: 'postgres://a:b@c/d' },
      'parley:environment': { SHOP: 'open' },
    }),
  ).toEqual(['secrets.OPENAI_API_KEY', 'database.adminUrl']);
  expect(plaintextIn({ 'parley:keys': { master: 'k1:abc', people: secure } })).toEqual(['keys.master']);
  expect(plaintextIn({ 'parley:secrets': secure, 'parley:database': {} })).toEqual([]);
  expect(plaintextIn({})).toEqual([]);
});

test('a stack whose file holds one is refused with the command, and without the secret', async () => {
  const root = await mkdtemp(join(tmpdir(), 'parley-plaintext-'));
  await expect(refusePlaintext(root, 'acme')).resolves.toBeUndefined();
  await writeFile(join(root, 'Pulumi.acme.yaml'), 'config:\n  parley:secrets:\n    OPENAI_API_KEY: sk-hunter2\n');
  const refusal = await refusePlaintext(root, 'acme').catch((error: Error) => error.message);
  expect(refusal).toContain("pulumi config set --secret --path 'parley:secrets.OPENAI_API_KEY'");
  expect(refusal).not.toContain('hunter2');
  await rm(root, { recursive: true });
});
