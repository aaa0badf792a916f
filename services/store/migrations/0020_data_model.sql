-- The data model as of release 1. What changed since is in the migrations that follow; functions are in ../functions.
-- {{service}} is the role of api, worker and agent hosts: neither owner nor BYPASSRLS. {{locator}} owns the few functions that look across
-- tenants. Columns stand in the order in which databases that are older than this file got them.

------------------------------------------------------------------------------------------------------------------------------------
-- Tenants and their agents
------------------------------------------------------------------------------------------------------------------------------------

-- Whom everything else belongs to. Only the owner of the schema makes them; the services read their own and change its features and caps.
create table tenants (
  id uuid primary key default gen_random_uuid(),
  slug text not null unique check (slug ~ '^[a-z][a-z0-9-]{0,62}$'),
  name text not null,
  -- What an operator switched on.
  features jsonb not null default '{}',
  caps jsonb not null default '{}',
  created_at timestamptz not null default now()
);

-- What agents are made of: the compiled content, by its hash. Rows never change, so that a session keeps the version it began with.
create table agent_versions (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  hash text not null,
  definition jsonb not null,
  -- Of the Git commit that brought it; null from a folder.
  commit text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, agent, hash)
);

-- Which version of an agent is live, and what holds for all of its versions (settings: origins, caps, webhook).
create table agents (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  version_hash text not null,
  settings jsonb not null,
  activated_at timestamptz not null default now(),
  -- Its file is gone; a revert brings it back.
  deleted_at timestamptz,
  -- Switched off by an operator.
  disabled_at timestamptz,
  -- Its webhook failed for too long, until its address changes.
  webhook_disabled_at timestamptz,
  primary key (tenant_id, agent),
  foreign key (tenant_id, agent, version_hash) references agent_versions (tenant_id, agent, hash)
);

-- What a source of agents offered and what came of it: the newest row of a source is what holds now, a refused one leaves the
-- newest active one live. A row is written when something changed, not at every look.
create table agent_revisions (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants on delete cascade,
  source text not null,
  -- Null for a folder, as are author and subject.
  commit text,
  state text not null check (state in ('active', 'refused')),
  at timestamptz not null default clock_timestamp(),
  author text,
  subject text,
  -- Why it was refused, or why some of its agents were held back: each with its place.
  reasons jsonb not null default '[]',
  reasons_left_out integer not null default 0,
  -- The commit status at the Git host; null where none is posted.
  host_status text check (host_status in ('pending', 'posted', 'failed')),
  host_attempts integer not null default 0,
  host_error text,
  -- Of a live revision: scenarios, as they are now, that an agent's live version does not pass.
  warnings jsonb not null default '[]',
  warnings_left_out integer not null default 0
);
create index agent_revisions_newest on agent_revisions (tenant_id, source, id desc);
-- A newer revision of the same commit takes the place of an older one at the host.
create index agent_revisions_commit on agent_revisions (tenant_id, commit, id desc) where commit is not null;

-- Which version of an agent has passed which scenarios on which model: what was passed once need not be run again.
create table scenario_passes (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  version_hash text not null,
  scenario_hash text not null,
  model text not null,
  passed_at timestamptz not null default now(),
  primary key (tenant_id, agent, version_hash, scenario_hash, model)
);

-- API keys of agents: found by their hash, and sealed for the operator who hands them on.
create table agent_keys (
  key_hash bytea primary key,
  tenant_id uuid not null,
  agent text not null,
  prefix text not null,
  sealed text not null,
  created_at timestamptz not null default now(),
  -- Null: the current one.
  expires_at timestamptz,
  last_used_at timestamptz,
  foreign key (tenant_id, agent) references agents on delete cascade
);
create index agent_keys_agent on agent_keys (tenant_id, agent);

-- What deliveries are signed with and signed requests are checked with, sealed. The newest signs; older ones sign beside it until they expire.
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

-- Who is asked to become a member of a tenant. A token is found by its hash, and sealed for the operator who hands it on, as keys of
-- agents are. Open is what was not accepted and has not expired.
create table invitations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references tenants on delete cascade,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  token_hash bytea not null unique,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz
);
create unique index invitations_unaccepted on invitations (tenant_id, email) where accepted_at is null;

------------------------------------------------------------------------------------------------------------------------------------
-- Agent hosts. They belong to the installation, not to a tenant: nothing agent-specific is in them
------------------------------------------------------------------------------------------------------------------------------------

-- Processes that hold conversations. One that lives holds its advisory lock (lock_key), and counts its heartbeat.
create table hosts (
  id uuid primary key,
  lock_key bigint not null unique,
  heartbeat bigint not null default 0,
  -- Sessions at a time.
  capacity integer not null,
  -- It takes nothing new and gives away what it has.
  draining boolean not null default false,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  -- Spoken sessions at a time; 0: it can neither hear nor speak.
  voice_capacity integer not null default 0,
  -- A key that is set, a language that is installed: in the words of services/agent-files/definition/speech-needs.ts. Null for a host
  -- that does not tell, which may be able to do anything.
  abilities text[]
);

-- Rooms in which a host waits already: a new session takes one, and its agent is there at once.
create table warm_rooms (
  room_name text primary key,
  host_id uuid not null references hosts on delete cascade,
  created_at timestamptz not null default clock_timestamp()
);
create index warm_rooms_oldest on warm_rooms (created_at);
create index warm_rooms_host on warm_rooms (host_id);

-- Spoken sessions that were refused at once, by the second: 64 rows that are written over again.
create table spoken_refusals (
  slot integer primary key,
  second timestamptz not null,
  sessions integer not null
) with (fillfactor = 50);

------------------------------------------------------------------------------------------------------------------------------------
-- Sessions, and what is in them
------------------------------------------------------------------------------------------------------------------------------------

-- Conversations. Written often, so that pages keep room for the next version of a row. A session's version belongs to its tenant already:
-- a reference to tenants would only make creations lock the tenant's row.
create table sessions (
  id text primary key,
  tenant_id uuid not null,
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
  -- By a request for a session or for a token, or by somebody who was in the room first.
  opened_by text not null check (opened_by in ('session', 'token', 'room')),
  -- Hash of key and address, for the cap on sessions that nobody joins.
  created_by bytea,
  created_at timestamptz not null default clock_timestamp(),
  -- When the first person joined.
  started_at timestamptz,
  ended_at timestamptz,
  duration_seconds integer,
  billed_seconds integer,
  last_activity_at timestamptz not null default clock_timestamp(),
  -- When the reaper looks at it.
  deadline_at timestamptz not null,
  -- The lease: who holds the conversation, whether it knows, and how often it changed hands. Writes of an older epoch are refused.
  host_id uuid,
  host_acked boolean not null default false,
  epoch integer not null default 0,
  agent_ready_at timestamptz,
  unattended_since timestamptz default clock_timestamp(),
  -- Of its messages and tool calls.
  last_sequence integer not null default 0,
  turns integer not null default 0,
  tokens bigint not null default 0,
  summary text,
  outcome text,
  sentiment text,
  -- The transcript is closed.
  finished_at timestamptz,
  delete_after timestamptz,
  -- What a host must be able to do for it: a list of lists, one of each is needed. Null: nothing is known, or the session is written.
  speech_needs jsonb,
  -- Until when it waits for an agent host; null: its caller is answered when the agent is there, or refused.
  agent_due_at timestamptz,
  foreign key (tenant_id, agent, version_hash) references agent_versions (tenant_id, agent, hash),
  check ((status = 'ended') = (ended_at is not null and end_reason is not null))
) with (fillfactor = 80);
create index sessions_due on sessions (deadline_at) where status <> 'ended';
-- "not null" keeps the counts of open_sessions from choosing this index, which would read every live session.
create index sessions_host on sessions (host_id) where status <> 'ended' and host_id is not null;
create index sessions_unclaimed on sessions (created_at) where host_id is null and status <> 'ended';
create index sessions_live on sessions (tenant_id, agent) where status <> 'ended';
create index sessions_unjoined on sessions (tenant_id, created_by) where status = 'created';
create index sessions_history on sessions (tenant_id, created_at desc);
-- What may be deleted has ended: until then the index need not know.
create index sessions_deletable on sessions (delete_after) where status = 'ended' and delete_after is not null;
create index sessions_refused on sessions (ended_at) where end_reason = 'agent_unavailable' and started_at is null;

-- The transcript: what was said and written, in the order of sequence. A key names an utterance, so that it is stored once.
create table messages (
  tenant_id uuid not null references tenants,
  session_id text not null references sessions on delete cascade,
  sequence integer not null,
  role text not null check (role in ('USER', 'ASSISTANT')),
  -- Lines of the client were shown by the customer's page by itself; the model never gets them.
  source text not null check (source in ('host', 'client')),
  content text not null,
  at timestamptz not null,
  message_key text,
  -- The sequence of the person's text that this belongs to; 0 for what the agent said unasked.
  turn integer not null,
  -- Of a person's text: a host that takes over does not answer it again.
  answered_at timestamptz,
  interrupted boolean not null default false,
  mode text not null default 'TEXT' check (mode in ('VOICE', 'TEXT')),
  -- Milliseconds that a reply took, by what they were spent on; null where nobody measured.
  timing jsonb,
  primary key (session_id, sequence),
  unique (session_id, message_key)
);

-- Tool calls: a row is there before the tool runs, so that a host that takes over repeats nothing.
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

-- Who was in the room, and when: the evidence for minutes. An interval belongs to a participant's sid, never to its identity.
create table presence (
  tenant_id uuid not null references tenants,
  session_id text not null references sessions on delete cascade,
  participant_sid text not null,
  identity text not null,
  role text not null check (role in ('person', 'agent')),
  joined_at timestamptz not null,
  -- Which evidence said so.
  joined_by text not null,
  left_at timestamptz,
  left_by text,
  last_seen_at timestamptz not null,
  primary key (session_id, participant_sid)
);

-- What happened in a session, and how we know. Never what was said.
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

-- Requests by their Idempotency-Key, for 24 hours: a repetition gets the same session. A key is written before its session.
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

-- Signatures of requests, each accepted once, for as long as it could be accepted.
create table used_signatures (
  tenant_id uuid not null references tenants,
  signature bytea not null,
  expires_at timestamptz not null,
  primary key (tenant_id, signature)
);
create index used_signatures_age on used_signatures (expires_at);

------------------------------------------------------------------------------------------------------------------------------------
-- What is left of a session
------------------------------------------------------------------------------------------------------------------------------------

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

-- What the customer's webhook is told.
create table deliveries (
  id uuid primary key,
  tenant_id uuid not null references tenants,
  agent text not null,
  -- Null for a test.
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

-- Each attempt at a delivery, and what the receiver answered.
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

------------------------------------------------------------------------------------------------------------------------------------
-- Who may see and do what
------------------------------------------------------------------------------------------------------------------------------------

-- The services see one tenant, the one that the transaction named, and nothing where it named none.
do $$
declare t text;
begin
  foreach t in array array['tenants', 'agent_versions', 'agents', 'agent_revisions', 'scenario_passes', 'agent_keys', 'agent_secrets',
    'invitations', 'sessions', 'messages', 'tool_calls', 'presence', 'session_events', 'idempotency_keys', 'used_signatures', 'agent_usage',
    'deliveries', 'delivery_attempts']
  loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format($policy$create policy tenant on %I to {{service}}
      using (%2$I = nullif(current_setting('parley.tenant', true), '')::uuid)
      with check (%2$I = nullif(current_setting('parley.tenant', true), '')::uuid)$policy$,
      t, case t when 'tenants' then 'id' else 'tenant_id' end);
  end loop;
end $$;
-- On managed servers the owner is no superuser, so that row-level security holds for it, too.
create policy owner on tenants to current_user using (true) with check (true);

grant usage on schema public to {{service}}, {{locator}};
grant select, update on tenants to {{service}};
grant select, insert, update, delete on agent_versions, agents, agent_revisions, scenario_passes, agent_keys, agent_secrets, invitations,
  hosts, warm_rooms, sessions, messages, tool_calls, presence, session_events, idempotency_keys, used_signatures, agent_usage, deliveries,
  delivery_attempts to {{service}};
grant select, insert, update on spoken_refusals to {{service}};

-- The functions that look across tenants see ids, states and times, write the lease, and forget what has expired.
grant select on tenants, agents, agent_keys, hosts, warm_rooms, spoken_refusals, sessions, presence, idempotency_keys, used_signatures,
  deliveries to {{locator}};
create policy locate on tenants for select to {{locator}} using (true);
create policy locate on agents for select to {{locator}} using (true);
create policy locate on agent_keys for select to {{locator}} using (true);
create policy locate on sessions for select to {{locator}} using (true);
create policy locate on presence for select to {{locator}} using (true);
create policy locate on deliveries for select to {{locator}} using (true);
grant update (host_id, host_acked, epoch, unattended_since, deadline_at, room_name, agent_ready_at) on sessions to {{locator}};
create policy assign on sessions for update to {{locator}} using (true) with check (true);
grant update (last_seen_at) on presence to {{locator}};
create policy see on presence for update to {{locator}} using (true) with check (true);
grant update (draining), delete on hosts to {{locator}};
-- Locking a row takes the right to update it.
grant update, delete on warm_rooms to {{locator}};
grant delete on idempotency_keys, used_signatures to {{locator}};
create policy expire on idempotency_keys to {{locator}} using (true);
create policy expire on used_signatures to {{locator}} using (true);

-- The twenty migrations that this file took the place of: release 1, to which one can go back, finds nothing to do.
insert into migrations (name) values
  ('0001_sessions.sql'), ('0002_locators.sql'), ('0003_hot_writes.sql'), ('0004_session_totals.sql'), ('0005_reconciling.sql'),
  ('0006_agent_revisions.sql'), ('0007_scenario_passes.sql'), ('0008_revision_reasons.sql'), ('0009_owner_makes_tenants.sql'),
  ('0010_sessions_together.sql'), ('0011_spoken_sessions.sql'), ('0012_spoken_totals.sql'), ('0013_abilities_of_hosts.sql'),
  ('0014_waiting_for_a_host.sql'), ('0015_revision_warnings.sql'), ('0016_idle_prompts.sql'), ('0017_invitations.sql'),
  ('0018_retiring_hosts.sql'), ('0019_refusals_of_one_second.sql'), ('0020_agents_of_all_tenants.sql');
