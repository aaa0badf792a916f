/**
 * Which of the files in a folder belong to a process that lives: it listens on a socket beside its file, and the system ends that with the
 * process, however it ended. A process id would not do: in a container that starts again the next process has the same.
 */
import { once } from 'node:events';
import { createConnection, createServer, type Server } from 'node:net';
import { relative } from 'node:path';

/** Held until the server is closed, or its process is gone. @throws Error where the folder takes no sockets, or its path is too long for one */
export async function hold(path: string): Promise<Server> {
  const server = createServer((visitor) => visitor.destroy()).listen(short(path));
  await once(server, 'listening');
  return server.unref();
}

const goneCodes = ['ECONNREFUSED', 'ENOENT'];
/** Its queue is full: one that stands still is alive. */
const aliveCodes = ['EAGAIN', 'ETIMEDOUT'];

/**
 * Whether it is held, as the system says.
 * @throws ErrnoException where it does not say, such as EACCES: it may be held or not
 */
export async function isHeld(path: string): Promise<boolean> {
  const socket = createConnection(short(path));
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (goneCodes.includes(code)) return false;
    if (aliveCodes.includes(code)) return true;
    throw error;
  } finally {
    socket.destroy();
  }
}

/** The system takes some 100 bytes. */
function short(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}
