-- Parley's first schema. {{service}} is the role of api, worker and agent hosts: neither owner nor BYPASSRLS.
-- {{locator}} owns the few functions that must look across tenants; they return ids and nothing else.

create table tenants (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z][a-z0-9-]{0,62}$'),
  name text not null,
  features jsonb not null default '{}',
  caps jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create table agent_versions (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  hash text not null,
  definition jsonb not null,
  commit text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, agent, hash)
);

create table agents (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  version_hash text not null,
  settings jsonb not null,
  activated_at timestamptz not null default now(),
  deleted_at timestamptz,
  disabled_at timestamptz,
  webhook_disabled_at timestamptz,
  primary key (tenant_id, agent),
  foreign key (tenant_id, agent, version_hash) references agent_versions (tenant_id, agent, hash)
);

create table agent_keys (
  key_hash bytea primary key,
  tenant_id uuid not null,
  agent text not null,
  prefix text not null,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  foreign key (tenant_id, agent) references agents on delete cascade
);
create index agent_keys_agent on agent_keys (tenant_id, agent);

create table agent_secrets (
  id bigint generated always as identity primary key,
  tenant_id uuid not null,
  agent text not null,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  foreign key (tenant_id, agent) references agents on delete cascade
);
create index agent_secrets_agent on agent_secrets (tenant_id, agent);

-- Hosts and their warm rooms belong to the installation, not to a tenant: nothing agent-specific is in them.
create table hosts (
  id uuid primary key,
  lock_key bigint not null unique,
  heartbeat bigint not null default 0,
  capacity integer not null,
  draining boolean not null default false,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

create table warm_rooms (
  room_name text primary key,
  host_id uuid not null references hosts on delete cascade,
  created_at timestamptz not null default clock_timestamp()
);
create index warm_rooms_oldest on warm_rooms (created_at);
create index warm_rooms_host on warm_rooms (host_id);

create table sessions (
  id text primary key,
  tenant_id uuid not null references tenants,
  agent text not null,
  version_hash text not null,
  room_name text not null unique,
  participant_identity text not null,
  status text not null default 'created' check (status in ('created', 'running', 'ended')),
  end_reason text,
  interaction_mode text not null check (interaction_mode in ('VOICE', 'TEXT')),
  language text not null,
  voice_id text,
  prompt_override text,
  channel text not null check (channel in ('phone', 'widget', 'api')),
  opened_by text not null check (opened_by in ('session', 'token', 'room')),
  created_by bytea,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  duration_seconds integer,
  billed_seconds integer,
  last_activity_at timestamptz not null default clock_timestamp(),
  deadline_at timestamptz not null,
  host_id uuid,
  host_acked boolean not null default false,
  epoch integer not null default 0,
  agent_ready_at timestamptz,
  unattended_since timestamptz default clock_timestamp(),
  last_sequence integer not null default 0,
  turns integer not null default 0,
  tokens bigint not null default 0,
  summary text,
  outcome text,
  sentiment text,
  finished_at timestamptz,
  delete_after timestamptz,
  foreign key (tenant_id, agent, version_hash) references agent_versions (tenant_id, agent, hash),
  check ((status = 'ended') = (ended_at is not null and end_reason is not null))
) with (fillfactor = 80);
create index sessions_due on sessions (deadline_at) where status <> 'ended';
-- "not null" keeps the counts of create_session from choosing this index, which would read every live session.
create index sessions_host on sessions (host_id) where status <> 'ended' and host_id is not null;
create index sessions_unclaimed on sessions (created_at) where host_id is null and status <> 'ended';
create index sessions_unacked on sessions (host_id) where status <> 'ended' and not host_acked;
create index sessions_live on sessions (tenant_id, agent) where status <> 'ended';
create index sessions_unjoined on sessions (tenant_id, created_by) where status = 'created';
create index sessions_history on sessions (tenant_id, created_at desc);
create index sessions_deletable on sessions (delete_after) where delete_after is not null;

create table messages (
  tenant_id uuid not null references tenants,
  session_id text not null references sessions on delete cascade,
  sequence integer not null,
  role text not null check (role in ('USER', 'ASSISTANT')),
  source text not null check (source in ('host', 'client')),
  content text not null,
  at timestamptz not null,
  message_key text,
  turn integer not null,
  answered_at timestamptz,
  interrupted boolean not null default false,
  mode text not null default 'TEXT' check (mode in ('VOICE', 'TEXT')),
  primary key (session_id, sequence),
  unique (session_id, message_key)
);

create table tool_calls (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  session_id text not null references sessions on delete cascade,
  turn integer not null,
  ordinal integer not null,
  sequence integer not null,
  epoch integer not null,
  name text not null,
  arguments jsonb not null,
  status text not null default 'started' check (status in ('started', 'ok', 'failed', 'unknown')),
  result text,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  unique (session_id, turn, ordinal)
);

create table presence (
  tenant_id uuid not null references tenants,
  session_id text not null references sessions on delete cascade,
  participant_sid text not null,
  identity text not null,
  role text not null check (role in ('person', 'agent')),
  joined_at timestamptz not null,
  joined_by text not null,
  left_at timestamptz,
  left_by text,
  last_seen_at timestamptz not null,
  primary key (session_id, participant_sid)
);

create table session_events (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants,
  session_id text not null references sessions on delete cascade,
  at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  kind text not null,
  source text not null,
  data jsonb not null default '{}'
);
create index session_events_session on session_events (session_id, id);

create table idempotency_keys (
  tenant_id uuid not null references tenants,
  scope_hash bytea not null,
  body_hash bytea not null,
  session_id text not null references sessions on delete cascade deferrable initially deferred,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, scope_hash)
);
create index idempotency_keys_session on idempotency_keys (session_id);
create index idempotency_keys_age on idempotency_keys (created_at);

create table used_signatures (
  tenant_id uuid not null references tenants,
  signature bytea not null,
  expires_at timestamptz not null,
  primary key (tenant_id, signature)
);
create index used_signatures_age on used_signatures (expires_at);

-- The ledger: what an agent used on a day (UTC, by the end of the session). Written in the transaction that ends a session.
create table agent_usage (
  tenant_id uuid not null references tenants,
  agent text not null,
  day date not null,
  sessions integer not null default 0,
  billed_seconds bigint not null default 0,
  tokens bigint not null default 0,
  primary key (tenant_id, agent, day)
);

create table deliveries (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  agent text not null,
  session_id text references sessions on delete cascade,
  event text not null,
  url text not null,
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'disabled')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz
);
create index deliveries_session on deliveries (session_id);
create index deliveries_agent on deliveries (tenant_id, agent, created_at desc);
create unique index deliveries_once on deliveries (session_id) where event = 'conversation.finished';

create table delivery_attempts (
  delivery_id uuid not null references deliveries on delete cascade,
  tenant_id uuid not null references tenants,
  attempt integer not null,
  at timestamptz not null default clock_timestamp(),
  duration_ms integer not null,
  status_code integer,
  error text,
  response_excerpt text,
  primary key (delivery_id, attempt)
);

-- Row-level security: the service role sees one tenant, the one that the transaction named.
alter table tenants enable row level security, force row level security;
create policy tenant on tenants to {{service}}
  using (id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (id = nullif(current_setting('parley.tenant', true), '')::uuid);

do $$
declare t text;
begin
  foreach t in array array['agent_versions', 'agents', 'agent_keys', 'agent_secrets', 'sessions', 'messages', 'tool_calls',
    'presence', 'session_events', 'idempotency_keys', 'used_signatures', 'agent_usage', 'deliveries', 'delivery_attempts']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy tenant on %I to {{service}}
      using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
      with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)$policy$, t);
  end loop;
end $$;

grant usage on schema public to {{service}}, {{locator}};
grant select, update on tenants to {{service}};
grant select, insert, update, delete on agent_versions, agents, agent_keys, agent_secrets, sessions, messages, tool_calls, presence,
  session_events, idempotency_keys, used_signatures, agent_usage, deliveries, delivery_attempts to {{service}};
grant select, insert, update, delete on hosts, warm_rooms to {{service}};

grant select on tenants, agent_keys, sessions, presence, idempotency_keys, used_signatures, deliveries to {{locator}};
grant update (host_id, host_acked, epoch, unattended_since, deadline_at, room_name, agent_ready_at) on sessions to {{locator}};
grant delete on idempotency_keys, used_signatures to {{locator}};
grant select, delete on hosts to {{locator}};
-- Locking a row takes the right to update it.
grant select, update, delete on warm_rooms to {{locator}};
create policy locate on tenants for select to {{locator}} using (true);
create policy locate on agent_keys for select to {{locator}} using (true);
create policy locate on sessions for select to {{locator}} using (true);
create policy assign on sessions for update to {{locator}} using (true) with check (true);
create policy locate on presence for select to {{locator}} using (true);
create policy locate on deliveries for select to {{locator}} using (true);
create policy expire on idempotency_keys to {{locator}} using (true);
create policy expire on used_signatures to {{locator}} using (true);
