import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { TooLate } from '../within.ts';
import { GuardedFetchError, makeGuardedFetch } from './guarded-fetch.ts';
import { resolverOfNames } from './resolve.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

const typeA = 1;

/** A name server that knows one address for every name, or says nothing at all. */
async function startNameServer(address?: readonly number[]) {
  const socket = createSocket('udp4');
  sockets.push(socket);
  let questions = 0;
  socket.on('message', (question, { port }) => {
    questions += 1;
    if (address) socket.send(answerTo(question, address), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { servers: [`127.0.0.1:${socket.address().port}`], questions: () => questions };
}

/** RFC 1035, 4: the question again, and for type A one record that points to its name. */
function answerTo(question: Buffer, address: readonly number[]): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const isA = question.readUInt16BE(end - 4) === typeA;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(isA ? 1 : 0, 6);
  // Whatever the question carried beside itself (EDNS) is not repeated.
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]);
  return Buffer.concat([header, question.subarray(12, end), ...(isA ? [record] : [])]);
}

test('a name is resolved by its servers, and localhost by nobody', async () => {
  const { servers } = await startNameServer([93, 184, 215, 14]);
  const resolve = resolverOfNames(servers);
  expect(await resolve('shop.example')).toEqual([{ address: '93.184.215.14', family: 4 }]);
  expect(await resolve('LOCALHOST')).toEqual(await resolverOfNames(['127.0.0.1:9'])('tools.localhost.'));
});

test('names whose servers are silent are given up, and hold neither files nor other names up', async () => {
  const silent = await startNameServer();
  const known = await startNameServer([93, 184, 215, 14]);
  const resolve = resolverOfNames(silent.servers, 600);
  const stuck = Array.from({ length: 64 }, (_, index) => resolve(`n${index}.example`));
  const outcome = Promise.allSettled(stuck);
  let over = false;
  void outcome.then(() => {
    over = true;
  });
  await stat('/');
  await resolverOfNames(known.servers)('shop.example');
  expect(over).toBe(false);
  for (const result of await outcome) expect(result).toMatchObject({ status: 'rejected', reason: expect.any(TooLate) });
});

test('an address that leads inside is refused however its name was resolved, and a request ends with its own deadline', async () => {
  const inside = await startNameServer([10, 0, 0, 7]);
  const limits = { timeoutMs: 5_000, maxBytes: 1_000 };
  const faultOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'answered',
      (error: unknown) => (error instanceof GuardedFetchError ? error.fault : error),
    );
  const fetched = makeGuardedFetch(resolverOfNames(inside.servers))('https://shop.example/', limits);
  expect(await faultOf(fetched)).toBe('blocked');
  const silent = await startNameServer();
  const waiting = makeGuardedFetch(resolverOfNames(silent.servers))('https://shop.example/', {
    ...limits,
    timeoutMs: 100,
  });
  expect(await faultOf(waiting)).toBe('timeout');
  expect(silent.questions()).toBeGreaterThan(0);
});
