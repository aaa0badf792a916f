import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { GuardedFetchError, type GuardedFetchFault, guardedFetch, makeGuardedFetch } from './guarded-fetch.ts';
import type { Resolve } from './resolve.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Listens on both loopback addresses (where there is IPv6) at one port, and counts who comes. */
async function startListener(answer: RequestListener = (_req, res) => res.end('inside')) {
  let connections = 0;
  const open = async (host: string, port: number) => {
    const server = createServer(answer);
    server.on('connection', () => {
      connections += 1;
    });
    server.listen(port, host);
    await Promise.race([once(server, 'listening'), once(server, 'error')]);
    cleanups.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    return server;
  };
  const first = await open('127.0.0.1', 0);
  const { port } = first.address() as AddressInfo;
  await open('::1', port);
  return { port, connections: () => connections };
}

const limits = { timeoutMs: 20_000, maxBytes: 10_000 };

async function faultOf(attempt: Promise<unknown>): Promise<GuardedFetchFault> {
  const error = await attempt.then(
    () => new Error('It was answered.'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof GuardedFetchError) return error.fault;
  throw error;
}

const hosts127 = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1.2.3',
  '127.255.255.254',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7F000001',
  '0x7f.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.1',
  '0177.0.0.01',
  '00177.0.0.1',
  '0x7f.1',
  '0177.1',
  '127.0x1',
  '127.65535',
  '127.16777215',
  '127.0.0.1.',
  '１２７.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0001]',
  '[0::1]',
  '[::0:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:7f00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::7f00:1]',
  '[2001:0:7f00:1::]',
  '[::7f00:1]',
  '[::ffff:127.1.2.3]',
];
const hosts0 = [
  '0',
  '0.0.0.0',
  '0.0.0',
  '0.0',
  '0x0',
  '0x0.0x0',
  '00',
  '0000',
  '0.1.2.3',
  '0.0.0.0.',
  '[::]',
  '[0:0:0:0:0:0:0:0]',
  '[::0]',
  '[::ffff:0.0.0.0]',
  '[::ffff:0:0]',
  '[64:ff9b::]',
];
const hostsPrivate = [
  '10.0.0.1',
  '10.255.255.255',
  '10.1',
  '167772161',
  '0xa000001',
  '012.0.0.1',
  '0x0a.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '2886729729',
  '0xac100001',
  '0254.020.0.1',
  '192.168.0.1',
  '192.168.255.255',
  '192.168.1',
  '3232235521',
  '0xc0a80001',
  '0300.0250.0.1',
  '100.64.0.1',
  '100.127.255.254',
  '1681915905',
  '0x64400001',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '250.1.2.3',
  '255.255.255.255',
  '4294967295',
  '0xffffffff',
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]',
  '[::ffff:172.16.0.1]',
  '[::ffff:ac10:1]',
  '[::ffff:192.168.0.1]',
  '[::ffff:c0a8:1]',
  '[::ffff:100.64.0.1]',
  '[::ffff:6440:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b::172.16.0.1]',
  '[64:ff9b::192.168.0.1]',
  '[64:ff9b::c0a8:1]',
  '[64:ff9b::100.64.0.1]',
  '[64:ff9b:1::a00:1]',
  '[2002:a00:1::]',
  '[2002:c0a8:1::]',
  '[2001:0:a00:1::]',
];
const hostsMetadata = [
  '169.254.169.254',
  '169.254.0.1',
  '169.254.170.2',
  '169.254.170.23',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '0xa9.0xfe.0xa9.0xfe',
  '169.254.43518',
  '169.16689662',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::]',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '100.100.100.200',
  '168.63.129.16',
  '2822734096',
  '0xa83f8110',
  '[::ffff:168.63.129.16]',
  '[64:ff9b::a83f:8110]',
];
const hostsIPv6 = [
  '[fe80::1]',
  '[fe80::a9fe:a9fe]',
  '[febf::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00::1]',
  '[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]',
  '[ff01::1]',
  '[ff02::1]',
  '[ff05::2]',
  '[ff0e::1]',
  '[100::1]',
  '[100:0:0:1::1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[2001:10::1]',
  '[2001:20::1]',
  '[2001:2::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  '[::2]',
  '[1::1]',
];
const insideHosts = [...hosts127, ...hosts0, ...hostsPrivate, ...hostsMetadata, ...hostsIPv6];

const insideAddresses = [
  '127.0.0.1',
  '::1',
  '::',
  '0.0.0.0',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  'fe80::1',
  'fe80::1%lo',
  'fe80::1%1',
  '::1%lo',
  'fd00:ec2::254',
  '100.64.0.1',
  '224.0.0.1',
  'ff02::1',
  '168.63.129.16',
];

describe('an address that leads inside', () => {
  test('is counted in more than 150 forms', () => {
    expect(new Set([...insideHosts, ...insideAddresses]).size).toBeGreaterThanOrEqual(150);
  });

  test('is refused in every form, and nothing is connected to', async () => {
    const listener = await startListener();
    for (const host of insideHosts) {
      const attempt = guardedFetch(`https://${host}:${listener.port}/`, limits);
      expect([host, await faultOf(attempt)]).toEqual([host, 'blocked']);
    }
    expect(listener.connections()).toBe(0);
  });

  test('is refused with the zone of an interface, which no URL can carry', async () => {
    for (const host of ['[fe80::1%25lo]', '[fe80::1%lo]', '[::1%25lo]', '[fe80::1%251]']) {
      expect(await faultOf(guardedFetch(`https://${host}/`, limits))).toBe('invalid_url');
    }
  });

  test('is refused behind a name, whatever the resolver says', async () => {
    const listener = await startListener();
    for (const address of insideAddresses) {
      const fetchIt = makeGuardedFetch(async () => [{ address, family: address.includes(':') ? 6 : 4 }]);
      expect([address, await faultOf(fetchIt(`https://name.example:${listener.port}/`, limits))]).toEqual([
        address,
        'blocked',
      ]);
    }
    for (const name of ['localhost', 'LOCALHOST', 'LocalHost']) {
      expect(await faultOf(guardedFetch(`https://${name}:${listener.port}/`, limits))).toBe('blocked');
    }
    expect(listener.connections()).toBe(0);
  });

  test('is refused when it hides among public ones', async () => {
    const listener = await startListener();
    const resolve: Resolve = async () => [
      { address: '1.1.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await faultOf(makeGuardedFetch(resolve)(`https://name.example:${listener.port}/`, limits))).toBe('blocked');
    expect(listener.connections()).toBe(0);
  });

  test('is not reached by a name that changes its answer: it is asked once for a connection', async () => {
    const listener = await startListener();
    const answers = ['1.1.1.1', '127.0.0.1', '127.0.0.1'];
    let asked = 0;
    const resolve: Resolve = async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }];
    const fetchIt = makeGuardedFetch(resolve);
    await faultOf(fetchIt(`https://name.example:${listener.port}/`, { ...limits, timeoutMs: 100 }));
    expect(asked).toBe(1);
    expect(await faultOf(fetchIt(`https://name.example:${listener.port}/`, limits))).toBe('blocked');
    expect(listener.connections()).toBe(0);
  });

  test('is refused in development too, unless it is the machine itself', async () => {
    const listener = await startListener();
    for (const host of [
      ...hosts0,
      ...hostsPrivate,
      ...hostsMetadata,
      ...hostsIPv6,
      '[::ffff:127.0.0.1]',
      '[64:ff9b::7f00:1]',
    ]) {
      const attempt = guardedFetch(`http://${host}:${listener.port}/`, { ...limits, allowLoopback: true });
      expect([host, await faultOf(attempt)]).toEqual([host, 'blocked']);
    }
    expect(listener.connections()).toBe(0);
  });

  test('is not found through a connection that development kept open', async () => {
    const listener = await startListener();
    const url = `http://127.0.0.1:${listener.port}/`;
    await guardedFetch(url, { ...limits, allowLoopback: true });
    expect(await faultOf(guardedFetch(url.replace('http:', 'https:'), limits))).toBe('blocked');
    expect(listener.connections()).toBe(1);
  });
});

test.for([
  '',
  '/path',
  'example.com',
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:,x',
  'https://',
  'https://u:p@example.com/',
  'https://u@example.com/',
  'https://[::1',
  'javascript:1',
])('"%s" is not an address to call', async (url) => {
  expect(await faultOf(guardedFetch(url, limits))).toBe('invalid_url');
});

describe('on the machine itself in development', () => {
  const local = { ...limits, allowLoopback: true };

  test('a request arrives whole and its answer comes back', async () => {
    const seen: string[] = [];
    const { port } = await startListener(async (req, res) => {
      const parts: Buffer[] = [];
      for await (const part of req) parts.push(part);
      seen.push(`${req.method} ${req.url} ${req.headers['x-test']} ${Buffer.concat(parts)}`);
      res.writeHead(201, { 'x-answer': 'yes' }).end('made');
    });
    const headers = { 'x-test': 'value' };
    const answer = await guardedFetch(`http://localhost:${port}/a?b=c`, {
      ...local,
      method: 'POST',
      headers,
      body: 'sent',
    });
    expect(seen).toEqual(['POST /a?b=c value sent']);
    expect(answer).toMatchObject({ status: 201, truncated: false, headers: { 'x-answer': 'yes' } });
    expect(answer.body.toString()).toBe('made');
  });

  test('a redirect is handed back and not followed', async () => {
    const listener = await startListener((_req, res) =>
      res.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    );
    expect(await guardedFetch(`http://127.0.0.1:${listener.port}/`, local)).toMatchObject({ status: 302 });
    expect(listener.connections()).toBe(1);
  });

  test('an answer is read only so far', async () => {
    const { port } = await startListener((_req, res) => {
      const more = () => {
        while (res.write('x'.repeat(1_000)));
      };
      res.on('drain', more).on('error', () => {});
      more();
    });
    const answer = await guardedFetch(`http://127.0.0.1:${port}/`, local);
    expect(answer.truncated).toBe(true);
    expect(answer.body).toHaveLength(limits.maxBytes);
  });

  test('an answer that never ends is given up', async () => {
    const { port } = await startListener((_req, res) => {
      res.write('a');
    });
    expect(await faultOf(guardedFetch(`http://127.0.0.1:${port}/`, { ...local, timeoutMs: 150 }))).toBe('timeout');
  });

  test('the caller can give up', async () => {
    const controller = new AbortController();
    const { port } = await startListener(() => controller.abort());
    const attempt = guardedFetch(`http://127.0.0.1:${port}/`, { ...local, signal: controller.signal });
    expect(await faultOf(attempt)).toBe('aborted');
  });

  test('a compressed answer is refused, so that a small one cannot become huge', async () => {
    const { port } = await startListener((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('zip'));
    expect(await faultOf(guardedFetch(`http://127.0.0.1:${port}/`, local))).toBe('unreachable');
  });

  test('a closed port, a name that is not there and a broken answer are unreachable', async () => {
    const nothing = makeGuardedFetch(async () => {
      throw new Error('ENOTFOUND');
    });
    const broken = createTcpServer((socket) => socket.on('error', () => {}).end('not http\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(broken, 'listening');
    cleanups.push(async () => broken.close());
    const port = (broken.address() as AddressInfo).port;
    expect(await faultOf(guardedFetch('http://127.0.0.1:9/', local))).toBe('unreachable');
    expect(await faultOf(nothing('https://name.example/', local))).toBe('unreachable');
    expect(await faultOf(guardedFetch(`http://127.0.0.1:${port}/`, local))).toBe('unreachable');
  });

  test('who was never connected to has certainly been sent nothing; who broke off may have had it all', async () => {
    const nothing = makeGuardedFetch(async () => {
      throw new Error('ENOTFOUND');
    });
    const breaksOff = await startListener((_req, res) => res.destroy());
    const isUnsent = (attempt: Promise<unknown>) =>
      attempt.then(
        () => 'answered',
        (error: unknown) => error instanceof GuardedFetchError && error.isUnsent,
      );
    expect(await isUnsent(guardedFetch('http://127.0.0.1:9/', local))).toBe(true);
    expect(await isUnsent(nothing('https://name.example/', local))).toBe(true);
    // It speaks no TLS.
    expect(await isUnsent(guardedFetch(`https://127.0.0.1:${breaksOff.port}/`, local))).toBe(true);
    expect(await isUnsent(guardedFetch(`http://127.0.0.1:${breaksOff.port}/`, local))).toBe(false);
  });
});

test('an address of the operator’s own may lead inside, and opens nothing for the next call', async () => {
  const inside = await startListener();
  const url = `https://127.0.0.1:${inside.port}/`;
  // The listener speaks no TLS.
  expect(await faultOf(guardedFetch(url, { ...limits, allowInside: true }))).toBe('unreachable');
  expect(inside.connections()).toBe(1);
  expect(await faultOf(guardedFetch(url, limits))).toBe('blocked');
  expect(await faultOf(guardedFetch(url.replace('https:', 'http:'), { ...limits, allowInside: true }))).toBe(
    'invalid_url',
  );
  expect(inside.connections()).toBe(1);
});
