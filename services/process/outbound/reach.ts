import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { isInsideAddress, isLoopbackAddress } from './inside-address.ts';
import { type Resolve, resolveBySystem, resolverOfNames } from './resolve.ts';

/**
 * How far a connection may lead. `outside`: the public internet. `machine`: that, and this machine (development). `anywhere`: the address
 * is the operator's own.
 */
export type Reach = 'outside' | 'machine' | 'anywhere';

/** The address leads where it may not. */
export class LeadsInside extends Error {
  constructor() {
    super('The address does not lead to the public internet.');
    this.name = 'LeadsInside';
  }
}

const ofConnecting = new WeakSet<Error>();

/** Whether a request failed before it had a connection: by its name, the connection itself or its TLS. Nothing of it has left then. */
export const isOfConnecting = (error: unknown): boolean => error instanceof Error && ofConnecting.has(error);

const isRefused: Record<Reach, (address: string) => boolean> = {
  outside: isInsideAddress,
  machine: (address) => isInsideAddress(address) && !isLoopbackAddress(address),
  anywhere: () => false,
};

/** Names of the operator's own are read as the system does; others are asked of their servers. */
const resolverFor = (reach: Reach, resolve: Resolve): Resolve => (reach === 'anywhere' ? resolveBySystem : resolve);

/** A pool for each, so that a connection which one call was allowed is never found by another that may not use it. */
export const openPools = (resolve: Resolve = resolverOfNames()): Record<Reach, Dispatcher> => ({
  outside: guardedPool('outside', resolve),
  machine: guardedPool('machine', resolve),
  anywhere: guardedPool('anywhere', resolve),
});

function guardedPool(reach: Reach, resolve: Resolve): Agent {
  const connect = buildConnector({ lookup: guardedLookup(reach, resolve) });
  return new Agent({
    // A host that is written as an address is connected to without any look-up.
    connect: (options, callback) => {
      if (isLiteralRefused(options.hostname, reach)) return callback(new LeadsInside(), null);
      return connect(options, (...[error, socket]) => {
        if (!error) return callback(null, socket);
        ofConnecting.add(error);
        return callback(error, null);
      });
    },
  });
}

/** Whether a host that is written as an address leads where it may not. */
export function isLiteralRefused(hostname: string, reach: Reach): boolean {
  const host = hostname.replace(/^\[|\]$/gu, '');
  return isIP(host) !== 0 && isRefused[reach](host);
}

/** All addresses of a host, each of which may be connected to. @throws LeadsInside; whatever the resolver throws */
export async function checkedAddresses(hostname: string, reach: Reach, resolve: Resolve = resolverOfNames()) {
  if (isLiteralRefused(hostname, reach)) throw new LeadsInside();
  if (isIP(hostname.replace(/^\[|\]$/gu, '')) !== 0) return [];
  const addresses = await resolverFor(reach, resolve)(hostname);
  if (addresses.length === 0) throw new Error('The name has no address.');
  // One inside address among several refuses the name: who mixes them is testing us.
  if (addresses.some(({ address }) => isRefused[reach](address))) throw new LeadsInside();
  return addresses;
}

/** For sockets: the very address that was checked is the one connected to. */
export const guardedLookup =
  (reach: Reach, resolve: Resolve = resolverOfNames()): LookupFunction =>
  (hostname, options, callback) => {
    checkedAddresses(hostname, reach, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: Error) => callback(error, []),
    );
  };
