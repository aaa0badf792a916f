import { createHash, randomBytes } from 'node:crypto';

/** A SIP message as it stands in a datagram (RFC 3261, section 7). */
export interface Message {
  /** Of a request, such as INVITE; undefined in an answer. */
  method: string | undefined;
  /** Of an answer; undefined in a request. */
  status: number | undefined;
  startLine: string;
  headers: [name: string, value: string][];
  body: string;
  from: Address;
}

export interface Address {
  address: string;
  port: number;
}

export const randomId = () => randomBytes(8).toString('hex');
export const newBranch = () => `z9hG4bK${randomId()}`;

export function parse(datagram: Buffer, from: Address): Message {
  const text = datagram.toString();
  const end = text.indexOf('\r\n\r\n');
  const [startLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = /^SIP\/2\.0 (\d{3})/.exec(startLine)?.[1];
  return {
    method: status ? undefined : startLine.split(' ')[0],
    status: status ? Number(status) : undefined,
    startLine,
    headers: lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
    body: text.slice(end + 4),
    from: { address: from.address, port: from.port },
  };
}

export const format = (startLine: string, headers: readonly (readonly [string, string])[], body = ''): string =>
  `${[
    startLine,
    ...[...headers, ['Content-Length', String(body.length)]].map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n')}\r\n\r\n${body}`;

export const header = ({ headers }: Message, name: string): string =>
  headers.find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1] ?? '';

/** An answer to a request, with what an answer repeats of it (section 8.2.6). */
export function answerTo(request: Message, { status, reason, tag, extra = [], body = '' }: AnswerParts): string {
  const to = header(request, 'To');
  const repeated = request.headers.filter(([name]) =>
    ['via', 'record-route', 'from', 'call-id', 'cseq'].includes(name.toLowerCase()),
  );
  const tagged = tag && !to.includes('tag=') ? `${to};tag=${tag}` : to;
  return format(`SIP/2.0 ${status} ${reason}`, [...repeated, ['To', tagged], ...extra], body);
}

export interface AnswerParts {
  status: number;
  reason: string;
  /** Of this end of the dialogue. */
  tag?: string;
  extra?: [string, string][];
  body?: string;
}

/** What proves that a caller knows the password (RFC 2617, MD5, with or without qop=auth). */
export function digestAnswer(
  challenge: string,
  { method, uri, username, password }: { method: string; uri: string; username: string; password: string },
): string {
  const given = (key: string) => new RegExp(`${key}="?([^",]+)`).exec(challenge)?.[1] ?? '';
  const [realm, nonce, qop] = [given('realm'), given('nonce'), given('qop')];
  const [secret, asked] = [md5(`${username}:${realm}:${password}`), md5(`${method}:${uri}`)];
  const client = randomId();
  const response = md5(qop ? `${secret}:${nonce}:00000001:${client}:auth:${asked}` : `${secret}:${nonce}:${asked}`);
  const counted = qop ? `,qop=auth,nc=00000001,cnonce="${client}"` : '';
  return `Digest username="${username}",realm="${realm}",nonce="${nonce}",uri="${uri}",response="${response}",algorithm=MD5${counted}`;
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
