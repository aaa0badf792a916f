import { expect, test } from 'vitest';
import { termsOf } from './manage-trunks.ts';

const byPassword = {
  ...{
    address: 'sip.example.com',
    transport: 'udp' as const,
    auth_username: 'acme',
    auth_password: 'CARRIER_PASSWORD',
  },
  ...{ allowed_addresses: ['203.0.113.8'], allowed_prefixes: [] },
  ...{ max_dials_per_minute: 0, max_calls_a_day: 0, max_minutes_a_day: 0 },
};

test('a user name and a password stay as they were, until both are taken away', () => {
  expect(termsOf(byPassword, { transport: 'tls' })).toEqual({ ...byPassword, transport: 'tls' });
  const byAddress = { ...byPassword, auth_username: null, auth_password: null };
  expect(termsOf(byPassword, { byPassword: false })).toEqual(byAddress);
  expect(termsOf(byAddress, { byPassword: false })).toEqual(byAddress);
});

test('a trunk does not become open, and what is taken away is not given at the same time', () => {
  const codeOf = (change: () => unknown) => {
    try {
      return change();
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  expect(codeOf(() => termsOf(byPassword, { byPassword: false, allowedAddresses: [] }))).toBe('trunk_open');
  expect(codeOf(() => termsOf(byPassword, { byPassword: false, username: 'other' }))).toBe('invalid_request');
});
