import { readMasterKeys } from '../../services/core/process-config.ts';
import { anAddress, aText, type EnvironmentReader, readEnvironment } from '../../services/process/environment.ts';
import type { TenantRow } from '../../services/store/tables/tenants.ts';
import type { DatabaseUrls } from '../start/database.ts';

export interface PrepareSettings {
  urls: DatabaseUrls;
  /** The server on which the database is made first; undefined where it is there already. */
  serverUrl: string | undefined;
  tenant: Pick<TenantRow, 'slug' | 'name' | 'features'>;
  /** Undefined where nobody is invited. */
  firstOwner: FirstOwner | undefined;
}

export interface FirstOwner {
  email: string;
  /** What the invitation is sealed with. */
  masterKeys: string;
}

const features = ['webhook'] as const;

/** @throws ConfigurationError that names every variable at fault. */
export function readSettings(environment: Record<string, string | undefined>): PrepareSettings {
  const env = readEnvironment(environment);
  const aDatabase = anAddress('postgres:', 'postgresql:');
  const slug = env.required('PARLEY_TENANT', "the tenant's slug", aText);
  const settings = {
    urls: {
      adminUrl: env.required('PARLEY_DATABASE_ADMIN_URL', 'the database as its owner, postgres://…', aDatabase),
      serviceUrl: env.required('PARLEY_DATABASE_URL', 'the database as the services see it, postgres://…', aDatabase),
    },
    serverUrl: env.optional(
      'PARLEY_DATABASE_SERVER_URL',
      undefined,
      'the server of the database, as a role that may make roles and databases, postgres://…',
      aDatabase,
    ),
    tenant: {
      slug,
      name: env.optional('PARLEY_TENANT_NAME', slug, 'the name people see', aText),
      features: env.optional(
        'PARLEY_FEATURES',
        {},
        `some of ${features.join(', ')}, separated by commas`,
        parseFeatures,
      ),
    },
    firstOwner: readFirstOwner(env),
  };
  env.finish();
  return settings;
}

function readFirstOwner(env: EnvironmentReader): FirstOwner | undefined {
  const email = env.optional('PARLEY_FIRST_OWNER', undefined, 'an e-mail address', anEmailAddress);
  return email === undefined ? undefined : { email, masterKeys: readMasterKeys(env) };
}

const anEmailAddress = (text: string) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? text : undefined);

function parseFeatures(text: string): Partial<Record<(typeof features)[number], boolean>> | undefined {
  const names = text.split(',');
  const known = features.filter((name) => names.includes(name));
  return known.length === names.length ? Object.fromEntries(known.map((name) => [name, true])) : undefined;
}
