import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sharedCounters } from '../../services/api/limits/counters.ts';
import { openDatabase } from '../../services/store/database.ts';
import { sql } from '../../services/store/sql.ts';
import { eventually } from '../support/eventually.ts';

/** As PostgreSQL's protocol has it ("SSLRequest"): a length of 8, and this number. */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const handshake = 0x16;

let folder: string;
const servers: Server[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-certificates-'));
  for (const name of ['ours', 'other']) {
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    await promisify(execFile)('openssl', [...kind, ...files, ...subject]);
  }
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onSocket(socket);
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** What a server of PostgreSQL does until somebody has said who they are; `heard` is what came after the handshake. */
async function startServer({ encrypts }: { encrypts: boolean }) {
  const heard: string[] = [];
  const [key, cert] = await Promise.all(['ours.key', 'ours.pem'].map((file) => readFile(join(folder, file))));
  const port = await listen((socket) => {
    socket.once('data', (first: Buffer) => {
      if (!first.equals(sslRequest)) return heard.push(`in the clear: ${first.toString('latin1')}`);
      if (!encrypts) return socket.write('N');
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, ...(key && { key }), ...(cert && { cert }) });
      return secure
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          heard.push(chunk.toString('latin1'));
          secure.destroy();
        });
    });
  });
  return { port, heard };
}

const ask = async (port: number, certificate: string) => {
  const options = `sslmode=verify-full&sslrootcert=${join(folder, certificate)}`;
  const db = openDatabase(`postgres://role:password@localhost:${port}/parley?${options}`);
  const outcome = await db.query(sql`select 1`).then(
    () => 'answered',
    (error: Error) => error.message,
  );
  await db.close();
  return outcome;
};

test('with sslmode=verify-full the database is told nothing before its certificate was checked', async () => {
  const server = await startServer({ encrypts: true });
  await ask(server.port, 'ours.pem');
  expect(server.heard).toEqual([expect.stringMatching(/^(?!in the clear).*database\0parley/s)]);
});

test('a server with another certificate, or that does not encrypt, is told nothing at all', async () => {
  const impostor = await startServer({ encrypts: true });
  expect(await ask(impostor.port, 'other.pem')).toMatch(/self-signed certificate|unable to verify/);
  const plain = await startServer({ encrypts: false });
  expect(await ask(plain.port, 'ours.pem')).toMatch(/does not support SSL/);
  expect([...impostor.heard, ...plain.heard]).toEqual([]);
});

test('the counters are shared over TLS with rediss://, and never in the clear', async () => {
  const firstBytes: (number | undefined)[] = [];
  const port = await listen((socket) => void socket.once('data', (chunk: Buffer) => firstBytes.push(chunk[0])));
  const log = { warn: () => undefined, info: () => undefined } as never;
  const counters = sharedCounters({
    ...{ redisUrl: `rediss://:password@localhost:${port}`, log },
    ...{ onAlone: () => undefined, onCountedAlone: () => undefined },
  });
  await eventually('it was connected to', () => firstBytes.length > 0);
  await counters.close();
  expect(new Set(firstBytes)).toEqual(new Set([handshake]));
});
