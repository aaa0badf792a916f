import { spawnSync } from 'node:child_process';

const onDeath = ['--pdeathsig=KILL', '--'];
let works: boolean | undefined;

/**
 * The command that runs `file` so that the system kills it when this process dies, whatever kills that (Linux; elsewhere the
 * command as it is). A process that a test has frozen reads no channel and heeds no other signal: it would stay for ever.
 */
export function endsWithUs(file: string, args: readonly string[]): [file: string, args: string[]] {
  works ??= spawnSync('setpriv', [...onDeath, 'true']).status === 0;
  return works ? ['setpriv', [...onDeath, file, ...args]] : [file, [...args]];
}
