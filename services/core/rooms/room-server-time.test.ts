import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RoomServerTime } from './room-server-time.ts';

let server: Server;
let url: string;
let date: string | undefined;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.sendDate = false;
    if (date) response.setHeader('date', date);
    response.end('OK');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const now = new Date('2026-11-22T12:00:00.400Z');
const oursFor = async (told: string | undefined): Promise<number> => {
  date = told && new Date(told).toUTCString();
  const time = new RoomServerTime({ now: () => now });
  await time.ask(url);
  return time.ours(now.getTime()) - now.getTime();
};

test('what the room server says is read by its own clock', async () => {
  expect(await oursFor('2026-11-22T12:00:20Z')).toBe(-20_100);
  expect(await oursFor('2026-11-22T11:59:40Z')).toBe(19_900);
});

test('a difference that whole seconds cannot tell is none, and neither is one that nobody told', async () => {
  expect(await oursFor('2026-11-22T12:00:00Z')).toBe(0);
  expect(await oursFor('2026-11-22T11:59:59Z')).toBe(0);
  expect(await oursFor(undefined)).toBe(0);
});
