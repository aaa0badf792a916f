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
