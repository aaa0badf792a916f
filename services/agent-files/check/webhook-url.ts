import { isIPv4 } from 'node:net';

export type Environment = 'development' | 'production';

/**
 * A sentence that says why finished conversations or tool calls cannot go to this address, or undefined when they can.
 * It looks at the text alone: an address that leads inside is refused where the call is made, after its name is resolved.
 */
export function webhookUrlProblem(url: string, environment: Environment): string | undefined {
  if (!URL.canParse(url)) return 'This is not a complete address; write one such as https://example.com/path.';
  const { protocol, hostname, username, password, hash } = new URL(url);
  if (username !== '' || password !== '') return 'The address must not hold a user name or a password.';
  if (hash !== '') return 'The address must not have a part after #.';
  const loopback = isLoopback(hostname);
  if (protocol === 'http:' && loopback && environment === 'development') return undefined;
  if (protocol !== 'https:') return 'The address must begin with https://.';
  if (loopback && environment === 'production')
    return 'The address must be reachable from outside, not only from this machine.';
  return undefined;
}

const isLoopback = (hostname: string): boolean =>
  /^(?:.+\.)?localhost\.?$/.test(hostname) || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
