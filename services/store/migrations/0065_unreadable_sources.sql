-- A source of agents that a worker could not read when it looked last. What is live stays live; a row goes once the source can be read again.
create table unreadable_sources (
  tenant_id uuid primary key references tenants on delete cascade,
  -- As in agent_revisions.
  source text not null,
  -- In the words of git or of the system.
  reason text not null,
  since timestamptz not null default clock_timestamp()
);

alter table unreadable_sources enable row level security, force row level security;
create policy tenant on unreadable_sources to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on unreadable_sources to {{service}};
