import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface GitHttpServer extends AsyncDisposable {
  url: string;
  /** What was asked for, in order. */
  asked: { token: string | undefined; isPush: boolean; status: number }[];
}

interface Tokens {
  reads: string;
  /** Pushes, too; without it nobody does. */
  writes?: string;
}

const basic = (token: string) => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
const userOf = { reads: undefined, writes: 'writer' } as const;

/** Serves the repositories of a folder by Git's own HTTP program, which lets nobody push whom it has no name of. */
export async function serveGitOverHttp(
  folder: string,
  { repository, tokens }: { repository: string; tokens: Tokens },
): Promise<GitHttpServer> {
  const { stdout } = await promisify(execFile)('git', ['--exec-path']);
  const backend = join(stdout.trim(), 'git-http-backend');
  const asked: GitHttpServer['asked'] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    const known = (['reads', 'writes'] as const).find((kind) => authorization === basic(tokens[kind] ?? ''));
    const token = known && tokens[known];
    const isPush = (request.url ?? '').includes('git-receive-pack');
    response.once('finish', () => asked.push({ token, isPush, status: response.statusCode }));
    if (known === undefined) response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    else answer({ backend, folder, user: userOf[known] }, { request, response });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/${repository}`,
    asked,
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

interface Served {
  backend: string;
  folder: string;
  user: string | undefined;
}

/** The old CGI protocol: variables in, a head and a body out. */
function answer({ backend, folder, user }: Served, { request, response }: Exchange): void {
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
      ...(user === undefined ? {} : { REMOTE_USER: user }),
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
