import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { openMailer } from './mailer.ts';

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
