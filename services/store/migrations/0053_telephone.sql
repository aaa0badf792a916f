-- The telephone: a tenant's way to a carrier, the numbers that reach its agents, its calls, and whom it may not call.

-- A SIP carrier. Everything that costs money is closed until somebody opens it.
create table trunks (
  tenant_id uuid not null references tenants on delete cascade,
  id uuid primary key,
  name text not null,
  -- host or host:port
  address text not null,
  transport text not null check (transport in ('udp', 'tcp', 'tls')),
  auth_username text,
  -- The name of a variable that the worker has, never the password.
  auth_password text,
  -- From which calls are taken: addresses, or networks such as 203.0.113.0/24.
  allowed_addresses text[] not null default '{}',
  -- What may be dialled, such as +49; none: nothing.
  allowed_prefixes text[] not null default '{}',
  max_dials_per_minute integer not null default 0,
  -- Of each allowed prefix, by days of UTC. Minutes are what is spent: only the carrier knows its prices.
  max_calls_a_day integer not null default 0,
  max_minutes_a_day integer not null default 0,
  managed_by text not null check (managed_by in ('stack', 'person')),
  created_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  unique (tenant_id, name),
  check ((auth_username is null) = (auth_password is null)),
  -- Anybody could call in by a trunk that asks for neither.
  check (auth_username is not null or cardinality(allowed_addresses) > 0)
);

-- A number in the form +4930123456 is reached by one trunk of one tenant.
create table numbers (
  tenant_id uuid not null references tenants on delete cascade,
  number text primary key check (number ~ '^\+[1-9][0-9]{5,14}$'),
  trunk_id uuid not null,
  -- Null: nobody answers yet, and calls are refused.
  agent text,
  -- Null: the agent's own.
  language text,
  -- {"zone": "Europe/Berlin", "open": [{"days": ["mon"], "from": "09:00", "to": "17:00"}]}; null: always.
  hours jsonb,
  when_refused text not null default 'busy' check (when_refused in ('busy', 'sentence')),
  managed_by text not null check (managed_by in ('stack', 'person')),
  created_at timestamptz not null default clock_timestamp(),
  foreign key (tenant_id, trunk_id) references trunks (tenant_id, id)
);
create index numbers_of_tenant on numbers (tenant_id, number);

-- Telephone calls, in and out. A call that has a session goes with it.
create table calls (
  tenant_id uuid not null references tenants on delete cascade,
  id text primary key,
  session_id text references sessions on delete cascade,
  direction text not null check (direction in ('inbound', 'outbound')),
  trunk_id uuid,
  -- Ours.
  number text not null,
  agent text not null,
  language text,
  -- Both numbers as the call named them, sealed for this call, and the other side's as a keyed hash, to search and to erase by.
  from_sealed text not null,
  to_sealed text not null,
  other_hash bytea not null,
  state text not null check (state in ('queued', 'dialing', 'ringing', 'answered', 'ended', 'busy', 'declined', 'no_answer',
    'invalid_number', 'unreachable', 'canceled', 'unknown', 'refused')),
  -- Why a call was refused that nobody dialled or answered: a code of problems.
  refused_because text,
  sip_code integer,
  sip_call_id text,
  -- Of a call out derived from its id, before anything is dialled.
  room_name text not null unique,
  asked_at timestamptz not null default clock_timestamp(),
  -- When the bridge was asked to dial, once: nobody asks it again.
  dialed_at timestamptz,
  answered_at timestamptz,
  ended_at timestamptz,
  hung_up_by text check (hung_up_by in ('person', 'agent', 'carrier', 'limit')),
  -- What the agent is told of this one call, by the names that its file declares.
  variables jsonb not null default '{}',
  -- On which ground the person is called.
  consent text,
  -- The allowed prefix that let it out, for caps; how long it may last at most.
  prefix text,
  max_seconds integer,
  -- Of a call without a session.
  delete_after timestamptz not null,
  unique (tenant_id, sip_call_id),
  check ((ended_at is null) = (state in ('queued', 'dialing', 'ringing', 'answered')))
) with (fillfactor = 80);
create index calls_of_tenant on calls (tenant_id, direction, asked_at desc);
create index calls_session on calls (session_id);
create index calls_open on calls (asked_at) where ended_at is null;
create index calls_other on calls (tenant_id, other_hash);
create index calls_deletable on calls (delete_after) where session_id is null and ended_at is not null;

-- Who asked not to be called.
create table opt_outs (
  tenant_id uuid not null references tenants on delete cascade,
  number_hash bytea not null,
  -- The number, so that its hash can be made again under another master key.
  sealed text not null,
  since timestamptz not null default clock_timestamp(),
  why text not null,
  primary key (tenant_id, number_hash)
);

do $$
declare t text;
begin
  foreach t in array array['trunks', 'numbers', 'calls', 'opt_outs']
  loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format($policy$create policy tenant on %I to {{service}}
      using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
      with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)$policy$, t);
  end loop;
end $$;
grant select, insert, update, delete on trunks, numbers, calls, opt_outs to {{service}};

-- The functions that look across tenants see which tenant has a number, a trunk or a call, and forget calls.
grant select on trunks, numbers, calls to {{locator}};
grant delete on calls to {{locator}};
create policy locate on trunks for select to {{locator}} using (true);
create policy locate on numbers for select to {{locator}} using (true);
create policy locate on calls for select to {{locator}} using (true);
create policy expire on calls for delete to {{locator}} using (true);
