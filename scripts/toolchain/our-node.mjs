// Plain JavaScript: see bootstrap.mjs.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** In the package of this platform, of which package-lock.json names version and hash. */
export const ourNode = fileURLToPath(
  new URL(`../../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
);

/** Compiled programs are kept, for this and all processes that it starts: a host of agents is up in 0.6 s instead of 1.0. */
const compiled = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs the script in our place: same terminal, same signals, same end. */
export function runOnOurNode(script, args) {
  // The channel tells the script when we are killed and can't pass that on.
  const child = spawn(ourNode, [script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: compiled, ...process.env },
  });
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`${ourNode} can't be run (${error.message}): delete node_modules and try again.`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    for (const name of forwarded) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}
