import { spawnSync } from 'node:child_process';

const unshared = ['--net', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
let works: boolean | undefined;

/**
 * The command that runs `file` on a network of its own, with nothing but a loopback (Linux, root; elsewhere the command as it is). Whoever
 * makes and removes network interfaces runs there: conversations beside them choose interfaces for their way, and lose it with them.
 */
export function onOwnNetwork(file: string, args: readonly string[]): [file: string, args: string[]] {
  works ??= spawnSync('unshare', [...unshared, 'true']).status === 0;
  return works ? ['unshare', [...unshared, file, ...args]] : [file, [...args]];
}

/** So that a client of WebRTC, which leaves loopbacks alone, has an address. */
const alone = [
  'ip link set lo up',
  'ip link add inside type veth peer name outside',
  'ip addr add 10.99.0.1/24 dev inside',
  'ip link set inside up',
  'ip link set outside up',
].join(' && ');

/** The command that runs `file` on a network that leads nowhere (Linux, root): a machine whose cable is pulled out. */
export const withoutInternet = (file: string, args: readonly string[]): [file: string, args: string[]] => [
  'unshare',
  ['--net', '--', 'sh', '-c', `${alone} && exec "$@"`, 'sh', file, ...args],
];
