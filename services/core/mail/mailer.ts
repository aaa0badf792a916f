import { createTransport } from 'nodemailer';

export interface Letter {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export interface Mailer {
  /** Resolves once the server has taken it. @throws Error when it does not, or not in time */
  send(letter: Letter): Promise<void>;
  close(): void;
}

export interface MailSettings {
  /** smtp://user:password@host:587, or smtps://… */
  url: string;
  /** `Parley <no-reply@acme.example.com>` */
  from: string;
}

/** Somebody waits for an invitation to have gone; the page says after this that it has not. */
const timeoutMs = 5_000;
const connections = 2;

/** Nothing is contacted before the first letter. */
export function openMailer({ url, from }: MailSettings): Mailer {
  const transport = createTransport({
    ...{ url: withTls(url), pool: true, maxConnections: connections },
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // Nobody's text becomes a file or an address that we would read.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return {
    send: async ({ to, subject, text }) =>
      void (await transport.sendMail({ from, to, subject, text }).catch((error: unknown) => {
        throw withoutAddress(error);
      })),
    close: () => transport.close(),
  };
}

const local = /^(127\.0\.0\.1|localhost|\[::1\])$/;

/**
 * With `smtp:` the library takes TLS where the server offers it, so that whoever is in between can take the offer away: a server on another machine has to
 * offer it, or gets no letter. `?requireTLS=false` or `?ignoreTLS=true` says otherwise.
 */
export function withTls(address: string): string {
  const url = new URL(address);
  const isSaid = url.searchParams.has('requireTLS') || url.searchParams.has('ignoreTLS');
  if (url.protocol === 'smtp:' && !isSaid && !local.test(url.hostname)) url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/** What the library and servers say of a failure names whom the letter was for, and goes to the log. */
function withoutAddress(error: unknown): Error {
  const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number };
  return new Error(`the mail server did not take a letter (${[code, responseCode].filter(Boolean).join(' ')})`);
}
