import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { eventually } from '../eventually.ts';

export interface Received {
  to: string[];
  from: string;
  /** Headers and text, decoded. */
  text: string;
}

/** A real mail server on a socket that keeps what it is given. */
export class SmtpSink implements AsyncDisposable {
  readonly received: Received[] = [];
  /** Takes nothing any more. */
  isFull = false;
  readonly #server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'] },
    onData: (stream, { envelope }, callback) => {
      text(stream).then((raw) => {
        if (this.isFull) return callback(Object.assign(new Error('the mailbox is full'), { responseCode: 452 }));
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        this.received.push({ from, to: envelope.rcptTo.map(({ address }) => address), text: decoded(raw) });
        callback();
      }, callback);
    },
  });
  url = '';

  static async start(): Promise<SmtpSink> {
    const sink = new SmtpSink();
    const server = sink.#server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    sink.url = `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    return sink;
  }

  lettersTo = (address: string): Received[] => this.received.filter(({ to }) => to.includes(address));

  /** The token of the link in the newest letter to this address, when there are so many. */
  async tokenTo(address: string, letters = 1): Promise<string> {
    await eventually(`${address} has mail`, () => this.lettersTo(address).length >= letters);
    return /https:\S+#(\S+)/.exec(this.lettersTo(address).at(-1)?.text ?? '')?.[1] ?? '';
  }

  [Symbol.asyncDispose] = (): Promise<void> => new Promise((resolve) => this.#server.close(() => resolve()));
}

/** Quoted-printable (RFC 2045, 6.7), in which letters with long lines come. */
const decoded = (raw: string): string =>
  raw
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
