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
};
