import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInsideAddress, isLoopbackAddress } from './inside-address.ts';

test.for([
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '168.63.129.17',
  '223.255.255.255',
])('%s is public', (address) => {
  expect(isInsideAddress(address)).toBe(false);
  expect(isInsideAddress(`::ffff:${address}`)).toBe(false);
  expect(isInsideAddress(`64:ff9b::${address}`)).toBe(false);
});

test.for(['2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2001:4860:4860::8888', '2620:fe::fe'])(
  '%s is public',
  (address) => {
    expect(isInsideAddress(address)).toBe(false);
  },
);

test.for(['', 'localhost', '1.2.3', '01.1.1.1', '1.1.1.1 ', ':::', 'fe80::1%eth0', '1.1.1.1%eth0'])(
  '"%s" is not trusted',
  (address) => {
    expect(isInsideAddress(address)).toBe(true);
  },
);

test('no private IPv4 address passes in any form that carries it', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const privateAddress = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
    fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
  );
  const prefixes = [
    '',
    '::',
    '::ffff:',
    '::ffff:0:',
    '64:ff9b::',
    '64:ff9b:1::',
    '2002:',
    '2001:0:',
    'fe80::',
    'fd00::',
    'ff02::',
  ];
  fc.assert(
    fc.property(privateAddress, fc.constantFrom(...prefixes), (bytes, prefix) => {
      const dotted = bytes.join('.');
      const [a = 0, b = 0, c = 0, d = 0] = bytes;
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const address = prefix === '2002:' || prefix === '2001:0:' ? `${prefix}${hex}::` : `${prefix}${dotted}`;
      expect(isInsideAddress(address)).toBe(true);
    }),
  );
});

test('loopback is 127/8 and ::1 however it is written, and nothing else', () => {
  for (const address of ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'])
    expect(isLoopbackAddress(address)).toBe(true);
  for (const address of ['0.0.0.0', '::', '::ffff:127.0.0.1', '10.0.0.1', 'localhost', '::1%lo'])
    expect(isLoopbackAddress(address)).toBe(false);
});
