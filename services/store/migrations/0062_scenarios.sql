-- The scenarios that stand beside each agent, as a worker has read them last: for people to see, and to run.
create table agent_scenarios (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  -- Of all of them, as in scenario_passes.
  scenario_hash text not null,
  -- In the order of the file.
  scenarios jsonb not null,
  -- When somebody asked for a run last, and when one that was asked for ended.
  asked_at timestamptz,
  ran_at timestamptz,
  -- Why that run has no verdict.
  problem text,
  primary key (tenant_id, agent)
);

-- What came of each scenario when a worker ran it last, by version and model. Passes that a pipeline tells are in scenario_passes only.
create table scenario_results (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  name text not null,
  version_hash text not null,
  model text not null,
  outcome text not null check (outcome in ('passed', 'failed', 'skipped')),
  runs integer not null,
  passes integer not null,
  -- [{"turn": …, "said": …, "expected": …, "got": …}], the first ones.
  failures jsonb not null default '[]',
  run_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, agent, name, version_hash, model)
);

do $$
declare t text;
begin
  foreach t in array array['agent_scenarios', 'scenario_results']
  loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format($policy$create policy tenant on %I to {{service}}
      using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
      with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)$policy$, t);
  end loop;
end $$;
grant select, insert, update, delete on agent_scenarios, scenario_results to {{service}};
