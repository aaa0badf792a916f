import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

let server: Server;
let proxy: TcpProxy;
let far: Socket[];
let ended: Socket[];

beforeEach(async () => {
  const closed: Socket[] = [];
  [far, ended] = [[], closed];
  server = createServer((socket) => {
    far.push(socket);
    socket.on('data', (chunk) => socket.write(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => closed.push(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startTcpProxy((server.address() as AddressInfo).port);
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  for (const socket of far) socket.destroy();
  server.close();
});

/** Somebody who connects and collects what comes back. */
async function caller() {
  const socket = connect(proxy.port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, say: (text: string) => socket.write(text), heard: () => heard };
}

/** Whoever connects now has been served after everything that was sent before. */
const echo = async (text: string) => {
  const one = await caller();
  one.say(text);
  await eventually(`${text} comes back`, () => one.heard() === text);
  return one;
};

test('passes what is said, and its end', async () => {
  const one = await echo('hello');
  one.socket.end();
  await eventually('the other side has heard of it', () => ended.length === 1);
  expect(proxy.open).toBe(0);
});

test('half open: nothing arrives any more, neither side hears of an end, and new connections go through', async () => {
  const one = await echo('before');
  proxy.halfOpen();
  one.say('lost');
  await echo('another');
  const other = await echo('a third');
  one.socket.destroy();
  await eventually('the proxy has heard of it', () => proxy.open === 2);
  other.socket.destroy();
  await eventually('the end of another arrives', () => ended.includes(far[2] as Socket));
  expect(ended).not.toContain(far[0]);
  expect(one.heard()).toBe('before');
});

test('a partition: new connections hear nothing, until it is healed for those that come later', async () => {
  proxy.partition();
  const one = await caller();
  one.say('lost');
  proxy.heal();
  await echo('after');
  expect(one.heard()).toBe('');
});

test('what is half open ends for both when it is given up, and nothing else does', async () => {
  const [lost, gone] = [await echo('1'), await echo('2')];
  proxy.halfOpen();
  gone.socket.destroy();
  const other = await echo('3');
  proxy.giveUp();
  await eventually('both ends have heard', () => lost.socket.destroyed && ended.length === 2);
  expect(ended).not.toContain(far[2]);
  other.say('4');
  await eventually('the other goes on', () => other.heard() === '34');
});

test('what is stalled is delivered in order when the network is back', async () => {
  const one = await echo('1');
  proxy.stall();
  one.say('2');
  one.say('3');
  proxy.heal();
  await eventually('all is there', () => one.heard() === '123');
});

test('a delay keeps the order when it ends', async () => {
  const one = await echo('1');
  proxy.delay(50);
  one.say('2');
  proxy.delay(0);
  one.say('3');
  await eventually('all is there', () => one.heard() === '123');
});

test('cut: both sides hear of it, and new connections go through, elsewhere after a failover', async () => {
  const one = await echo('before');
  proxy.cut();
  await eventually('both have heard', () => one.socket.destroyed && ended.length === 1);
  await echo('after');
  proxy.refuse();
  const refused = connect(proxy.port, '127.0.0.1');
  refused.on('error', () => undefined);
  await once(refused, 'close');
  expect(far).toHaveLength(2);
});
