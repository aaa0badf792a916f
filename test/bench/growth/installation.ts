/** A large installation as PostgreSQL sees it: hosts, rooms and persons are rows, and connections that hold locks. */

import { randomBytes } from 'node:crypto';
import { revealCredentials } from '../../../services/core/credentials/credentials.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { migrate } from '../../../services/store/migrate.ts';
import { makeNotifier, type Notifier } from '../../../services/store/notify.ts';
import { one, sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import { type FakeHost, startFakeHost } from '../../support/databases/fake-host.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import { compiledAgent, publish } from '../../support/world/compiled-agent.ts';
import { masterKeys } from '../../support/world/master-keys.ts';
import { type CountedDatabase, countingStatements } from './cost.ts';
import { SimulatedHost } from './simulated-host.ts';

export interface Sizes {
  hosts: number;
  /** Live, each with a person and an agent in its room; every tenth is spoken. */
  sessions: number;
  /** Agents with an entry in the ledger for each of `ledgerDays`. */
  ledgerAgents: number;
  ledgerDays: number;
  /** How often each operation is done. */
  operations: number;
}

export interface Installation extends AsyncDisposable {
  sizes: Sizes;
  admin: Database;
  counted: CountedDatabase;
  db: Database;
  notifier: Notifier;
  tenant: string;
  version: string;
  apiKey: string;
  hosts: readonly SimulatedHost[];
}

/** What a host carries in spoken sessions, as in the agent service's default; and the rooms that it keeps ready. */
const voiceCapacity = 12;
const warmRooms = 8;
/** An agent that knows much: text that does not compress. */
const knowledgeBytes = 128 * 1024;
const poolSize = 16;
/** The superuser's, the services' and those of PostgreSQL itself. */
const connectionsBesideHosts = 60;

export async function startInstallation(sizes: Sizes): Promise<Installation> {
  const postgres = await startPostgres({
    fsync: true,
    settings: {
      'parley.check_keys': 'off',
      max_connections: String(sizes.hosts + connectionsBesideHosts),
      // What is measured is what an operation writes: not when the last checkpoint was, nor who cleans up behind others.
      ...{ full_page_writes: 'off', autovacuum: 'off', max_wal_size: '8GB', checkpoint_timeout: '1h' },
    },
  });
  const serviceUrl = `postgres://parley_service:for-benchmarks@127.0.0.1:${postgres.port}/postgres`;
  await migrate({ adminUrl: postgres.adminUrl, serviceUrl });
  const admin = openDatabase(postgres.adminUrl, { maxConnections: 2, queryTimeoutMs: 120_000 });
  const pool = openDatabase(serviceUrl, { maxConnections: poolSize, queryTimeoutMs: 60_000 });
  const counted = countingStatements(pool);
  const agent = await makeAgentLive(admin, pool, serviceUrl);
  const connections: FakeHost[] = [];
  for (let nth = 0; nth < sizes.hosts; nth += 1)
    connections.push(await startFakeHost(serviceUrl, { capacity: 400, voiceCapacity, warmRooms }));
  await addSessions(admin, { ...agent, hosts: connections.map(({ id }) => id), sizes });
  await addLedger(admin, agent.tenant, sizes);
  await admin.query(sql`vacuum analyze`);
  return {
    ...{ sizes, admin, counted, ...agent, db: counted.db },
    notifier: makeNotifier(counted.db),
    hosts: connections.map((host) => new SimulatedHost(counted.db, host)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(connections.map((host) => host[Symbol.asyncDispose]()));
      await Promise.all([admin.close(), pool.close()]);
      await postgres[Symbol.asyncDispose]();
    },
  };
}

async function makeAgentLive(admin: Database, db: Database, serviceUrl: string) {
  const { id: tenant } = await upsertTenant(admin, { slug: 'large', name: 'Large', features: {} });
  const knowledge = randomBytes((knowledgeBytes * 3) / 4).toString('base64');
  await publish({ serviceUrl, masterKeys, tenant }, [compiledAgent({ definition: { knowledge } })]);
  const { apiKey } = await revealCredentials({ db, vault: makeVault(masterKeys) }, { tenant, agent: 'desk' });
  const { version } = await one<{ version: string }>(admin, sql`select version_hash as version from agents`);
  return { tenant, version, apiKey };
}

interface Rows {
  tenant: string;
  version: string;
  hosts: readonly string[];
  sizes: Sizes;
}

/** Running for 20 s, the agent in the room before the person. */
async function addSessions(admin: Database, { tenant, version, hosts, sizes: { sessions } }: Rows): Promise<void> {
  await admin.query(sql`
    insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, status, interaction_mode, language, channel,
      opened_by, created_at, started_at, last_activity_at, deadline_at, delete_after, host_id, host_acked, epoch, agent_ready_at, unattended_since)
    select 'live-' || n, ${tenant}, 'desk', ${version}, 'room-' || n, 'person', 'running',
      case when (n / ${hosts.length}::integer) % 10 = 0 then 'VOICE' else 'TEXT' end, 'en', 'api', 'session',
      at, at, at, at + interval '10 minutes', at + interval '1 day', (${hosts}::uuid[])[1 + n % ${hosts.length}::integer], true, 1, at, null
    from generate_series(0, ${sessions}::integer - 1) n, (select clock_timestamp() - interval '20 seconds' as at) t`);
  await admin.query(sql`
    insert into presence (tenant_id, session_id, participant_sid, identity, role, joined_at, joined_by, last_seen_at)
    select tenant_id, id, role || '-' || id, role, role, started_at, 'room_event', started_at
    from sessions, unnest(array['person', 'agent']) role`);
}

async function addLedger(admin: Database, tenant: string, { ledgerAgents, ledgerDays }: Sizes): Promise<void> {
  await admin.query(sql`
    insert into agent_usage (tenant_id, agent, day, sessions, billed_seconds, tokens)
    select ${tenant}, case n when 0 then 'desk' else 'agent-' || n end, current_date - d, 10, 600, 1000
    from generate_series(0, ${ledgerAgents}::integer - 1) n, generate_series(0, ${ledgerDays}::integer - 1) d`);
}
