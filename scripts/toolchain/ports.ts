import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

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

/** A TCP port that was free a moment ago. */
export const freeTcpPort = (): Promise<number> => freePort(isTcpPortFree);

/** A UDP port that was free a moment ago. */
export const freeUdpPort = (): Promise<number> => freePort(isUdpPortFree);

/** Below 32768, where systems take the ports of outgoing connections: a server that is down keeps its port. */
async function freePort(isFree: (port: number) => Promise<boolean>): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    if (await isFree(port)) return port;
  }
}
