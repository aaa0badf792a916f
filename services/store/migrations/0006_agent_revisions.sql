-- What a source of agents offered and what came of it: the newest row of a source is what holds now, a refused one leaves the
-- newest active one live. A row is written when something changed, not at every look.
create table agent_revisions (
  id bigint generated always as identity primary key,
  tenant_id uuid not null references tenants on delete cascade,
  source text not null,
  commit text,
  state text not null check (state in ('active', 'refused')),
  reason text,
  at timestamptz not null default clock_timestamp()
);
create index agent_revisions_newest on agent_revisions (tenant_id, source, id desc);

alter table agent_revisions enable row level security, force row level security;
create policy tenant on agent_revisions to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on agent_revisions to {{service}};
