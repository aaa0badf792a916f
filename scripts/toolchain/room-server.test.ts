import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RoomServerSources, roomServerPath } from './room-server.ts';

const run = promisify(execFile);

let folder: string;
/** The only folder on PATH beside the shell's own. */
let bin: string;
let server: Server;
let requests: string[];
let archive: Buffer;
const lines: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-toolchain-'));
  bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(folder, 'livekit-server'), '#!/bin/sh\necho downloaded\n');
  await run('tar', ['-czf', join(folder, 'a.tar.gz'), '-C', folder, 'livekit-server']);
  archive = await readFile(join(folder, 'a.tar.gz'));
  requests = [];
  lines.length = 0;
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.url === '/archive') response.end(archive);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, name), 0o755);
}

const address = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

function get(path: string | undefined, sha256 = createHash('sha256').update(archive).digest('hex')): Promise<string> {
  const sources: RoomServerSources = {
    env: { PATH: bin, PARLEY_CACHE_DIR: join(folder, 'cache') },
    release: path === undefined ? undefined : { url: address(path), sha256 },
    goModule: folder,
  };
  return roomServerPath((line) => lines.push(line), sources);
}

/** A stand-in for Go: `-o` is followed by where the program goes. */
const fakeGo = `[ "$1" = version ] && exit 0
while [ "$1" != -o ]; do shift; done
echo '#!/bin/sh' > "$2"`;

test('a room server of the right series on PATH is used as it is', async () => {
  await program('livekit-server', 'echo livekit-server version 1.13.9');
  expect(await get('/archive')).toBe('livekit-server');
  expect(requests).toEqual([]);
});

test('one of another series on PATH is passed over', async () => {
  await program('livekit-server', 'echo livekit-server version 1.9.1');
  expect(await get('/archive')).not.toBe('livekit-server');
});

test('the download is checked, kept, and not repeated', async () => {
  const path = await get('/archive');
  expect((await run(path)).stdout).toBe('downloaded\n');
  expect(await get('/archive')).toBe(path);
  expect(requests).toEqual(['/archive']);
  expect(await readdir(join(path, '..'))).toEqual(['livekit-server']);
});

test('several at once download once', async () => {
  await Promise.all([get('/archive'), get('/archive'), get('/archive')]);
  expect(requests).toEqual(['/archive']);
});

test('a download that is not the pinned file is never used, and the program is built', async () => {
  await program('go', fakeGo);
  const path = await get('/archive', '0'.repeat(64));
  expect(await readFile(path, 'utf8')).toBe('#!/bin/sh\n');
  expect(lines.join('\n')).toContain('not the file that was pinned');
});

test('where nothing can be downloaded the program is built', async () => {
  await program('go', fakeGo);
  await get('/missing');
  expect(lines.join('\n')).toContain('answered 404');
  expect(lines.join('\n')).toContain('Building the room server');
});

test('without a download and without Go the sentence says what to install', async () => {
  await expect(get(undefined)).rejects.toThrow(/put livekit-server 1\.13\.x on your PATH .* or install Go/);
});

test('a build that the system stops says so', async () => {
  await program('go', `[ "$1" = version ] && exit 0\nkill -9 $$`);
  await expect(get(undefined)).rejects.toThrow(/is not built: Go was stopped by SIGKILL/);
});

test.for([
  ['go: module requires go >= 1.26 (running go 1.20)', /Go is too old/],
  ['dial tcp: lookup proxy.golang.org: no such host', /module proxy can't be reached/],
  ['write /tmp/x: no space left on device', /disk is full/],
  ['syntax error in main.go', /could not be built: syntax error/],
] as const)('a build that fails with "%s" says what to do', async ([output, sentence]) => {
  await program('go', `[ "$1" = version ] && exit 0\necho '${output}' >&2; exit 1`);
  await expect(get(undefined)).rejects.toThrow(sentence);
  expect(await readdir(join(folder, 'cache', 'livekit-server-1.13.5'))).toEqual([]);
});
