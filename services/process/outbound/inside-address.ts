import { BlockList, isIPv4, isIPv6 } from 'node:net';

type Range = readonly [network: string, prefix: number];

/** Not global unicast: IANA's IPv4 special-purpose registry, multicast, and one address of a cloud. */
const insideIPv4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's metadata and health service: a public number, but reachable from inside a virtual machine only.
  ['168.63.129.16', 32],
];

/** Within 2000::/3, the only global unicast there is: protocol assignments and Teredo, documentation, 6to4. */
const insideGlobalIPv6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const blocked4 = blockList(insideIPv4, 'ipv4');
const global6 = blockList([['2000::', 3]], 'ipv6');
const blocked6 = blockList(insideGlobalIPv6, 'ipv6');
const loopback4 = blockList([['127.0.0.0', 8]], 'ipv4');

function blockList(ranges: readonly Range[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

/**
 * Whether an IP address leads anywhere but to the public internet. What is no address counts as inside. IPv6 is allowed
 * by range rather than forbidden, so a form nobody thought of is refused; the two forms that carry an IPv4 address which
 * a system would really connect to (mapped, NAT64) are judged by that address.
 */
export function isInsideAddress(address: string): boolean {
  if (isIPv4(address)) return blocked4.check(address, 'ipv4');
  const bare = address.split('%')[0] ?? '';
  if (!isIPv6(bare)) return true;
  const embedded = embeddedIPv4(bare);
  if (embedded !== undefined) return blocked4.check(embedded, 'ipv4');
  return !global6.check(bare, 'ipv6') || blocked6.check(bare, 'ipv6');
}

/** The machine itself, in the two plain forms. */
export function isLoopbackAddress(address: string): boolean {
  if (isIPv4(address)) return loopback4.check(address, 'ipv4');
  return isIPv6(address) && !address.includes('%') && new URL(`http://[${address}]`).hostname === '[::1]';
}

/** Of `::ffff:0:0/96` (mapped, RFC 4291) and `64:ff9b::/96` (NAT64, RFC 6052). */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const prefix = groups.slice(0, 6).join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return undefined;
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}

/** The eight groups, in hexadecimal without leading zeros; the URL parser settles every way of writing them. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}
