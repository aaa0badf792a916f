import type { DeclaredTelephone } from '../../contract/declared-telephone.ts';
import { aText, aWholeNumber } from '../../process/environment.ts';
import { alsoReadBy, groupWith, optional, required, setting } from '../setting.ts';
import { sealing } from './sealing.ts';

const anEmailAddress = (text: string) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? text : undefined);

const features = ['webhook'] as const;
type Features = Partial<Record<(typeof features)[number], boolean>>;

function parseFeatures(text: string): Features | undefined {
  const names = text.split(',');
  const known = features.filter((name) => names.includes(name));
  return known.length === names.length ? Object.fromEntries(known.map((name) => [name, true])) : undefined;
}

/** Whoever uses it checks it by its schema: compiling schemas is not for every process that has settings. */
const parseTelephone = (text: string) => JSON.parse(text) as DeclaredTelephone;

export const tenant = {
  tenant: setting({
    name: 'PARLEY_TENANT',
    readBy: { api: 'local', worker: 'local', prepare: required, commands: 'local' },
    holds: "the tenant's slug",
    parse: aText,
    says: 'Whose agents the worker keeps, and the try-it page and the commands show.',
  }),
  tenantName: setting({
    name: 'PARLEY_TENANT_NAME',
    readBy: { prepare: optional },
    holds: 'the name people see',
    parse: aText,
    otherwise: 'the slug',
    says: "The tenant's name as people see it.",
  }),
  features: setting({
    name: 'PARLEY_FEATURES',
    readBy: { prepare: optional },
    holds: `some of ${features.join(', ')}, separated by commas`,
    parse: parseFeatures,
    write: (on: Features) => features.filter((name) => on[name]).join(','),
    otherwise: 'none',
    says: 'What is switched on for the tenant.',
  }),
  telephone: setting({
    name: 'PARLEY_TELEPHONE',
    readBy: { prepare: optional },
    holds: 'trunks and numbers as `phone` of a stack declares them, {"trunks": […], "numbers": […]}',
    parse: parseTelephone,
    write: (declared: DeclaredTelephone) => JSON.stringify(declared),
    otherwise: 'none',
    says: 'Trunks and numbers that nobody else changes; those of before that are no longer among them go. Passwords are names of variables.',
  }),
  fleetShare: setting({
    name: 'PARLEY_FLEET_SHARE',
    readBy: { prepare: 75 },
    holds: 'a number of per cent, 1 to 100',
    parse: aWholeNumber(1, 100),
    notInStacks: 'a stack has one tenant',
    says: "How much of the agent hosts' places the tenant may take where other tenants have agents.",
  }),
  firstOwner: groupWith('email', {
    email: setting({
      name: 'PARLEY_FIRST_OWNER',
      readBy: { prepare: required },
      holds: 'an e-mail address',
      parse: anEmailAddress,
      otherwise: 'nobody is invited',
      says: "Who is invited as the tenant's first owner; the invitation is sealed with the master keys.",
    }),
    masterKeys: alsoReadBy(sealing.masterKeys, { prepare: required }),
  }),
};
