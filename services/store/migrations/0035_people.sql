-- Persons, how they sign in, and what they may do in which tenant. A schema of its own: {{people}} is a role that only the API logs in as,
-- so that neither an agent host nor the worker can read a password's hash, make itself a member or end anybody's sign-in.
create schema people;

-- Whoever can sign in. A person belongs to no tenant.
create table people.persons (
  id uuid primary key default gen_random_uuid(),
  email text not null unique check (email = lower(email)),
  name text not null,
  -- argon2id, with its parameters and salt; null: none is set.
  password text,
  created_at timestamptz not null default now()
);

-- From a sign-in to its end. Its refresh token says which generation it is; the newest one is worth something.
create table people.sign_ins (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references people.persons on delete cascade,
  generation integer not null default 0,
  rotated_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_by text check (ended_by in ('sign_out', 'reuse', 'reset')),
  created_at timestamptz not null default clock_timestamp(),
  check ((ended_at is null) = (ended_by is null))
);
create index sign_ins_person on people.sign_ins (person_id);

-- Passwords that were tried, by a hash of account and address.
create table people.attempts (
  key bytea primary key,
  failed integer not null,
  until timestamptz not null
);
create index attempts_until on people.attempts (until);

-- What a person is in a tenant. That the last owner stays is kept by functions/keep_an_owner.sql.
create table people.memberships (
  tenant_id uuid not null references tenants on delete cascade,
  person_id uuid not null references people.persons on delete cascade,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  since timestamptz not null default now(),
  primary key (tenant_id, person_id)
);
create index memberships_person on people.memberships (person_id);

alter table people.memberships enable row level security, force row level security;
create policy tenant on people.memberships to {{people}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
create policy people on invitations to {{people}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
create policy people on tenants for select to {{people}}
  using (id = nullif(current_setting('parley.tenant', true), '')::uuid);

grant usage on schema people to {{people}}, {{locator}};
grant usage on schema public to {{people}};
grant select, insert, update, delete on people.persons, people.sign_ins, people.attempts, people.memberships to {{people}};
grant select, insert, update, delete on invitations to {{people}};
grant select on tenants to {{people}};

-- The functions that look across tenants: whose a token is, and where somebody is a member.
grant select on people.memberships, invitations to {{locator}};
create policy locate on people.memberships for select to {{locator}} using (true);
create policy locate on invitations for select to {{locator}} using (true);
