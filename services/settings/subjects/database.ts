import { aWholeNumber } from '../../process/environment.ts';
import { aDatabase } from '../forms.ts';
import { optional, required, setting } from '../setting.ts';

function databases(text: string): string[] | undefined {
  const urls = text.split(',').map((url) => aDatabase(url.trim()));
  return urls.every((url) => url !== undefined) ? urls : undefined;
}

export const database = {
  databaseUrl: setting({
    name: 'PARLEY_DATABASE_URL',
    readBy: { api: required, agent: required, worker: required, prepare: required, commands: optional },
    holds: 'postgres://role:password@host:port/database',
    parse: aDatabase,
    secret: true,
    otherwise: 'that of the local start',
    says: 'The database as the services see it: a role that is under row-level security. How it is encrypted: [encryption.md](operate/encryption.md).',
  }),
  databaseDirectUrl: setting({
    name: 'PARLEY_DATABASE_DIRECT_URL',
    readBy: { api: optional, agent: optional, worker: optional, prepare: optional },
    holds: 'the same database and role past the pooler, postgres://…',
    parse: aDatabase,
    secret: true,
    otherwise: 'the same as `PARLEY_DATABASE_URL`',
    says: 'Where `PARLEY_DATABASE_URL` leads to a pooler: who holds a lock, listens, runs jobs or changes tables connects past it ([scaling.md](operate/scaling.md#a-pooler)).',
    notInStacks: 'a stack has no pooler',
  }),
  databaseAdminUrl: setting({
    name: 'PARLEY_DATABASE_ADMIN_URL',
    readBy: { prepare: required },
    holds: 'the database as its owner, postgres://…',
    parse: aDatabase,
    secret: true,
    says: 'The database as its owner, who makes tables and the role of the services.',
  }),
  formerOwnerPasswords: setting({
    name: 'PARLEY_DATABASE_FORMER_OWNER_PASSWORDS',
    readBy: { prepare: optional },
    holds: 'passwords that the owner had before, the newest first, separated by commas',
    parse: (text) => text.split(','),
    secret: true,
    otherwise: 'none',
    says: 'With one of these the owner gives itself the password of `PARLEY_DATABASE_ADMIN_URL`, where that is not taken yet.',
  }),
  databaseServerUrl: setting({
    name: 'PARLEY_DATABASE_SERVER_URL',
    readBy: { prepare: optional },
    holds: 'the server of the database, as a role that may make roles and databases, postgres://…',
    parse: aDatabase,
    secret: true,
    otherwise: 'the database is there already',
    says: 'The server on which the database and its owner are made first, as a role that may make both.',
  }),
  guestDatabaseUrls: setting({
    name: 'PARLEY_GUEST_DATABASE_URLS',
    readBy: { prepare: optional },
    holds: 'databases on the same server, each as its owner, postgres://…, separated by commas',
    parse: databases,
    secret: true,
    otherwise: 'none',
    says: 'Databases that are made, with their owners, for tenants of other installations; their own preparation does the rest.',
  }),
  guestConnections: setting({
    name: 'PARLEY_GUEST_CONNECTIONS',
    readBy: { prepare: optional },
    holds: 'a whole number, 1 to 5000',
    parse: aWholeNumber(1, 5_000),
    otherwise: 'as many as the server takes',
    says: 'How many connections each of them may have at once.',
  }),
};
