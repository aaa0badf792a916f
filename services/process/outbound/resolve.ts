import { lookup, Resolver } from 'node:dns/promises';
import { within } from '../within.ts';

export interface FoundAddress {
  address: string;
  family: number;
}

/** All addresses of a name. Rejects when it has none, or nobody answers. */
export type Resolve = (hostname: string) => Promise<FoundAddress[]>;

/** Of one question, doubled at the second try. */
const answerWithinMs = 1_500;
const tries = 2;
/** Of a name, whatever its servers do. */
const deadlineMs = 5_000;

/** For names of the operator's own: as the system reads them, with its search list and its table of hosts. */
export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * For names that customers chose: asks the name servers itself. The system's look-up waits in one of four threads that the whole process
 * shares with its files and cannot be called off, so four names whose servers are silent would stop it. The system's table of
 * hosts and its search list are not read; `localhost` is this machine (RFC 6761).
 * @param servers instead of the system's, for tests
 */
export function resolverOfNames(servers?: readonly string[], withinMs = deadlineMs): Resolve {
  return async (hostname) => {
    if (/^(?:.+\.)?localhost\.?$/iu.test(hostname)) return thisMachine;
    // One for each name: what it still waits for can be called off.
    const resolver = new Resolver({ timeout: answerWithinMs, tries });
    if (servers) resolver.setServers(servers);
    try {
      return await within(withinMs, 'the look-up of a name', addressesOf(resolver, hostname));
    } finally {
      resolver.cancel();
    }
  };
}

const thisMachine: FoundAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

async function addressesOf(resolver: Resolver, hostname: string): Promise<FoundAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const found = (answer: typeof four, family: number) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
  return [...found(four, 4), ...found(six, 6)];
}
