import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface GitHttpServer extends AsyncDisposable {
  url: string;
  /** The Authorization headers that came, in order. */
  authorizations: (string | undefined)[];
}

/** Serves the repositories of a folder by Git's own HTTP program to whoever sends this Authorization header. */
export async function serveGitOverHttp(
  folder: string,
  { repository, authorization }: { repository: string; authorization: string },
): Promise<GitHttpServer> {
  const { stdout } = await promisify(execFile)('git', ['--exec-path']);
  const backend = join(stdout.trim(), 'git-http-backend');
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    if (request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    answer(backend, folder, { request, response });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${repository}`,
    authorizations,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** The old CGI protocol: variables in, a head and a body out. */
function answer(backend: string, folder: string, { request, response }: Exchange): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(backend, {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      REMOTE_USER: 'reader',
    },
  });
  request.pipe(child.stdin);
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.once('close', () => {
    const all = Buffer.concat(out);
    const end = all.indexOf('\r\n\r\n');
    const head = all.toString('latin1', 0, end).split('\r\n');
    const fields = head.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const status = fields.find(([name]) => name === 'Status')?.[1];
    response.writeHead(status ? Number.parseInt(status, 10) : 200, fields.filter(([name]) => name !== 'Status').flat());
    response.end(all.subarray(end + 4));
  });
}
