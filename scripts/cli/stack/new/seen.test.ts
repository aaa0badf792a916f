import { expect, test } from 'vitest';
import { architecturesIn, freeSlot, nodeCidrsIn, platformFault, platformsIn } from './seen.ts';

const node = (address: string, podCIDR: string, architecture = 'amd64') => ({
  spec: { podCIDR },
  status: {
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: 'one' },
    ],
    nodeInfo: { architecture },
  },
});

test('one node is its own address; of several, flannel speaks for their pods', () => {
  expect(nodeCidrsIn({ items: [node('192.0.2.10', '10.42.0.0/24')] })).toEqual(['192.0.2.10/32']);
  const two = { items: [node('192.0.2.10', '10.42.0.0/24'), node('192.0.2.11', '10.42.1.0/24', 'arm64')] };
  expect(nodeCidrsIn(two)).toEqual(['192.0.2.10/32', '192.0.2.11/32', '10.42.0.0/32', '10.42.1.0/32']);
  expect(architecturesIn(two)).toEqual(['amd64', 'arm64']);
});

test('an image that nodes cannot run is told with what to do; attestations are no platform (infra 13)', () => {
  const laptop = {
    manifest: {
      digest: 'd',
      manifests: [{ platform: { architecture: 'arm64' } }, { platform: { architecture: 'unknown' } }],
    },
  };
  expect(platformsIn(laptop)).toEqual(['arm64']);
  expect(platformFault('parley', ['arm64'], ['amd64'])).toContain('--platform linux/amd64');
  expect(platformFault('parley', ['arm64', 'amd64'], ['amd64'])).toBeUndefined();
  expect(platformsIn({ manifest: { digest: 'd' }, image: { architecture: 'amd64' } })).toEqual(['amd64']);
  expect(platformFault('parley', [], ['amd64'])).toBeUndefined();
});

test('the lowest slot that nobody has is free, until there is none', () => {
  const guest = (slot: number, stack = 'organization/parley/acme') => ({ 'parley:foundation': { stack, slot } });
  expect(freeSlot('organization/parley/acme', 3, [guest(1), guest(2, 'organization/parley/other'), {}])).toBe(2);
  expect(freeSlot('organization/parley/acme', 2, [guest(1), guest(2)])).toBeUndefined();
});
