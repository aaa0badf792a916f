import type { NewSession } from '../../../services/core/channels/new-session.ts';
import { newRoomName, newSessionId } from '../../../services/core/sessions/ids.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { compiledAgent, publish } from '../world/compiled-agent.ts';
import { masterKeys } from '../world/master-keys.ts';
import type { TestPostgres } from './postgres.ts';
import { openStoryDatabase, type StoryDatabase, startOwnDatabase } from './story-database.ts';

/** Many things at once on a busy machine: what comes of them is asked, not how soon. */
const patienceMs = 30_000;

/** A real PostgreSQL with the product's schema, and nothing else of the product. */
export interface MigratedDatabase extends AsyncDisposable {
  serviceUrl: string;
  /** As the services see it. */
  db: Database;
  /** As its owner sees it: no row-level security. */
  admin: Database;
  /** A tenant with the agent `desk` live. Returns its id and the version's hash. */
  addTenant(slug: string): Promise<{ tenant: string; version: string }>;
}

interface Choices {
  connections?: number;
}

export const startMigratedDatabase = async (choices: Choices = {}): Promise<MigratedDatabase> =>
  opened(await openStoryDatabase(), choices);

/** The same on a server that the test may stop, freeze and kill. */
export async function startMigratedServer(
  choices: Choices = {},
): Promise<MigratedDatabase & { postgres: TestPostgres }> {
  const database = await startOwnDatabase();
  return { ...opened(database, choices), postgres: database.postgres };
}

function opened(database: StoryDatabase, { connections = 12 }: Choices): MigratedDatabase {
  const patient = { connectTimeoutMs: patienceMs, queryTimeoutMs: patienceMs };
  const { adminUrl, serviceUrl } = database;
  const db = openDatabase(serviceUrl, { maxConnections: connections, ...patient });
  const admin = openDatabase(adminUrl, patient);
  return {
    serviceUrl,
    db,
    admin,
    addTenant: async (slug) => {
      const { id: tenant } = await upsertTenant(admin, { slug, name: slug, features: {} });
      await publish({ serviceUrl, masterKeys, tenant }, [compiledAgent()]);
      const { version_hash: version } = await db.asTenant(tenant, async (tx) => {
        const [agent] = await tx.query<{ version_hash: string }>({
          text: 'select version_hash from agents',
          values: [],
        });
        if (!agent) throw new Error('the agent is not live');
        return agent;
      });
      return { tenant, version };
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([db.close(), admin.close()]);
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A session of the agent `desk` as the API asks for it, with caps that stay out of the way. */
export const newSession = (
  { tenant, version }: { tenant: string; version: string },
  fields: Partial<NewSession> = {},
): NewSession => ({
  tenant,
  agent: 'desk',
  version,
  id: newSessionId(),
  roomName: newRoomName(),
  identity: 'person',
  mode: 'TEXT',
  language: 'en',
  speechNeeds: null,
  voiceId: null,
  promptOverride: null,
  channel: 'api',
  openedBy: 'session',
  createdBy: null,
  visitor: null,
  joinTimeoutMs: 600_000,
  retentionMs: 3_600_000,
  unjoinedCap: 10_000,
  concurrentCap: 10_000,
  tenantCap: null,
  warm: false,
  idempotency: null,
  signature: null,
  ...fields,
});
