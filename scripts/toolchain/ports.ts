import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const host = '127.0.0.1';

/** Whether nothing listens on this TCP port of the loopback address. */
export async function isTcpPortFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

/** Whether nothing is bound to this UDP port of the loopback address. */
export async function isUdpPortFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, host);
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

/** A TCP port that was free a moment ago, and that nobody else is given as long as this process lives. */
export const freeTcpPort = (): Promise<number> => freePort(isTcpPortFree);

/** The same of UDP. */
export const freeUdpPort = (): Promise<number> => freePort(isUdpPortFree);

/** Below 32768, where systems take the ports of outgoing connections: a server that is down keeps its port. */
async function freePort(isFree: (port: number) => Promise<boolean>): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    if (take(port) && (await isFree(port))) return port;
  }
}

/** A file for each port that was given, with the id of the process that has it. */
const givenTo = join(tmpdir(), `parley-ports-${userInfo().uid}`);
const taken: string[] = [];
process.once('exit', () => {
  for (const file of taken) rmSync(file, { force: true });
});

/**
 * Seconds may pass until a server listens on the port that was found for it, and dozens of test servers look for ports at the same time (a
 * service ended with "another program uses it" once in three rollouts). False where a living process has it.
 */
function take(port: number): boolean {
  mkdirSync(givenTo, { recursive: true });
  const file = join(givenTo, String(port));
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    taken.push(file);
    return true;
  } catch {
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
}

function isHeld(file: string): boolean {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    // Not written yet.
    return holder === 0 || process.kill(holder, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
