-- What people did in a tenant, by the account API: a row is written in the transaction of what it tells of, and stays as it is. The roles of
-- the services and of persons may add rows and neither change nor delete one.
create table audit (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants on delete cascade,
  at timestamptz not null default clock_timestamp(),
  -- Of people.persons, without a reference: what somebody did outlives them. Null: nobody who has signed in.
  person_id uuid,
  -- In the words of services/contract/audit-actions.ts.
  action text not null,
  -- What it was done to: the name of an agent, the id of a member, a delivery, a session.
  target text not null,
  -- Never a secret, and nothing that was said.
  details jsonb not null default '{}',
  -- As X-Request-Id names it.
  request_id text
);
create index audit_tenant on audit (tenant_id, id desc);

alter table audit enable row level security, force row level security;
create policy tenant on audit to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
create policy people on audit for insert to {{people}}
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert on audit to {{service}};
grant insert on audit to {{people}};
