import { expect, test } from 'vitest';
import { seenAddressFinding } from './front-door.ts';
import { imageFinding } from './image.ts';

test('an address of the cluster, seen by an installation with a public name, is told with what to do (infra 11)', () => {
  for (const seen of ['10.42.0.1', '172.20.3.4', '100.64.0.7', '::ffff:192.168.1.2', 'fd00::/64'])
    expect(seenAddressFinding('acme.example.com', seen)).toMatchObject({
      state: 'warning',
      todo: expect.stringContaining('externalTrafficPolicy Local'),
    });
  expect(seenAddressFinding('acme.example.com', '198.51.100.7')).toMatchObject({ state: 'ok' });
});

test('nothing is said of a laptop, or of a release that does not tell', () => {
  expect(seenAddressFinding('127.0.0.1', '127.0.0.1')).toBeUndefined();
  expect(seenAddressFinding('localhost', '::1')).toBeUndefined();
  expect(seenAddressFinding('acme.example.com', null)).toBeUndefined();
});

test('an image that nodes cannot run fails (infra 13)', () => {
  expect(imageFinding('parley@x', ['arm64'], ['amd64'])).toMatchObject({ state: 'failed' });
  expect(imageFinding('parley@x', ['arm64', 'amd64'], ['amd64'])).toMatchObject({ state: 'ok' });
});
