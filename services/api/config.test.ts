import { expect, test } from 'vitest';
import { settings } from '../settings/settings.ts';
import { readConfig } from './config.ts';

const { issuer, clientId, passwords } = settings.openIdConnect.settings;
const fault = `${passwords.name} refuses them and ${issuer.name} is missing: nobody could sign in.`;

test('passwords are refused only beside an identity provider', () => {
  const refused = { [passwords.name]: 'refused' };
  expect(() => readConfig(refused)).toThrow(fault);
  const provided = { ...refused, [issuer.name]: 'https://id.example.com', [clientId.name]: 'parley' };
  expect(() => readConfig(provided)).not.toThrow(fault);
});
