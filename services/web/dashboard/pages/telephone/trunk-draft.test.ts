import { expect, test } from 'vitest';
import { changeOf, draftOf, givenOf, noTrunk } from './trunk-draft.ts';

test('a trunk comes out of the form as it went in', () => {
  const given = {
    ...{
      address: 'sip.example.com',
      transport: 'tls' as const,
      username: 'parley',
      password: { env: 'CARRIER_PASSWORD' },
    },
    ...{ allowedAddresses: ['203.0.113.0/24', '198.51.100.7'], allowedPrefixes: ['+49', '+43'] },
    ...{ maxDialsPerMinute: 6, maxCallsPerDay: 100, maxMinutesPerDay: 300 },
  };
  expect(givenOf(draftOf({ ...given, id: 'x', name: 'carrier', managedBy: 'person' as const }))).toEqual(given);
});

test('what nobody fills in opens nothing, and lists may be written by lines or commas', () => {
  expect(
    givenOf({ ...noTrunk, address: ' sip.example.com ', allowedAddresses: '203.0.113.7,\n198.51.100.7\n' }),
  ).toEqual({
    ...{ address: 'sip.example.com', transport: 'udp' },
    ...{ allowedAddresses: ['203.0.113.7', '198.51.100.7'], allowedPrefixes: [] },
    ...{ maxDialsPerMinute: 0, maxCallsPerDay: 0, maxMinutesPerDay: 0 },
  });
});

test('a user name and a password that were emptied are taken away, and one of the two is not', () => {
  const draft = { ...noTrunk, address: 'sip.example.com', allowedAddresses: '203.0.113.7' };
  expect(changeOf(draft)).toEqual({ ...givenOf(draft), byPassword: false });
  const half = { ...draft, username: 'parley' };
  expect(changeOf(half)).toEqual(givenOf(half));
});
