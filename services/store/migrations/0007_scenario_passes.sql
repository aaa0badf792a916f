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

alter table scenario_passes enable row level security, force row level security;
create policy tenant on scenario_passes to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on scenario_passes to {{service}};
