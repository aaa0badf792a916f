import { parseMasterKeys } from '../master-keys.ts';
import { optional, required, setting } from '../setting.ts';

export const sealing = {
  masterKeys: setting({
    name: 'PARLEY_MASTER_KEYS',
    readBy: { api: required, agent: required, worker: required, commands: optional },
    holds: '"k1:<base64 of 32 bytes>", several separated by commas',
    parse: (text) => (parseMasterKeys(text) ? text : undefined),
    secret: true,
    says: "Seal what is secret in the database: credentials, agents' secrets, invitations. The first seals, all open.",
  }),
  peopleKeys: setting({
    name: 'PARLEY_PEOPLE_KEYS',
    readBy: { api: optional, prepare: optional, commands: optional },
    holds: '"k1:<base64 of 32 bytes>", several separated by commas',
    parse: (text) => (parseMasterKeys(text) ? text : undefined),
    secret: true,
    otherwise: 'nobody can sign in',
    says: "Sign what persons are given when they sign in, and are the password of the database's role for persons. The first signs, all verify.",
  }),
};
