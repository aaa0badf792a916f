import { once } from 'node:events';
import type { Server } from 'node:http';

export interface Address {
  port: number;
  bind: string;
}

/** Resolves with the port when the server listens (0: a free one). @throws Error in words when it can't */
export async function listen(server: Server, { port, bind }: Address): Promise<number> {
  server.listen(port, bind);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'another program uses it' : (error.code ?? error.message);
    throw new Error(`Cannot listen on ${bind}:${port}: ${reason}. Choose another port.`, { cause: error });
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}
