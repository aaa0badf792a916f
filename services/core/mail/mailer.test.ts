import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { openMailer, withTls } from './mailer.ts';

test('a letter that the server refuses is an error that does not name whom it was for', async () => {
  const server = new SMTPServer({
    authOptional: true,
    onRcptTo: ({ address }, _session, done) => done(new Error(`no mailbox ${address} here`)),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const mailer = openMailer({ url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`, from: 'Parley <no-reply@example.com>' });
  try {
    const letter = { to: 'eve@example.com', subject: 'Hello', text: 'Hello.' };
    const error = await mailer.send(letter).catch((given: unknown) => given);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain('550');
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('eve@');
  } finally {
    mailer.close();
    server.close();
  }
});

test('a server that offers no TLS gets no letter where TLS is needed', async () => {
  const taken: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      taken.push(address);
      done();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const url = `smtp://127.0.0.1:${port}/?requireTLS=true`;
  const mailer = openMailer({ url, from: 'Parley <no-reply@example.com>' });
  try {
    await expect(mailer.send({ to: 'eve@example.com', subject: 'Hello', text: 'Hello.' })).rejects.toThrow(/ETLS/);
    expect(taken).toEqual([]);
  } finally {
    mailer.close();
    server.close();
  }
});

test.each([
  ['smtp://user:secret@smtp.example.com:587', 'smtp://user:secret@smtp.example.com:587?requireTLS=true'],
  ['smtp://smtp.example.com?requireTLS=false', 'smtp://smtp.example.com?requireTLS=false'],
  ['smtps://smtp.example.com:465', 'smtps://smtp.example.com:465'],
  ['smtp://127.0.0.1:2525', 'smtp://127.0.0.1:2525'],
])('%s is used as %s', (given, used) => {
  expect(withTls(given)).toBe(used);
});
