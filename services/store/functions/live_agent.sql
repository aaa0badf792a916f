-- An agent as it answers now, in one round trip: what its tenant and its row say, what counts against their caps (today and this month in
-- UTC, null where nothing is capped), and its definition unless the caller has that of p_known_hash already. No row for an unknown one.
create or replace function live_agent(p_tenant uuid, p_agent text, p_known_hash text)
returns table (
  tenant_id uuid, agent text, version_hash text, definition jsonb, settings jsonb, features jsonb, caps jsonb, is_deleted boolean,
  is_disabled boolean, own jsonb, whole jsonb
)
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  live record;
  today constant date := (clock_timestamp() at time zone 'UTC')::date;
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  select a.*, t.features, t.caps into live from agents a join tenants t on t.id = a.tenant_id
  where a.tenant_id = p_tenant and a.agent = p_agent;
  if not found then return; end if;
  return query select p_tenant, p_agent, live.version_hash,
    (select v.definition from agent_versions v
      where v.tenant_id = p_tenant and v.agent = p_agent and v.hash = live.version_hash and v.hash is distinct from p_known_hash),
    live.settings, live.features, live.caps, live.deleted_at is not null, live.disabled_at is not null,
    case when live.settings->'caps' ?| array['minutesPerDay', 'minutesPerMonth', 'tokensPerDay'] then (
      select jsonb_build_object(
        'tokens_today', coalesce(sum(u.tokens) filter (where u.day = today), 0),
        'billed_seconds_today', coalesce(sum(u.billed_seconds) filter (where u.day = today), 0),
        'billed_seconds_month', coalesce(sum(u.billed_seconds), 0))
      from agent_usage u
      where u.tenant_id = p_tenant and u.agent = p_agent
        and u.day >= case when live.settings->'caps' ? 'minutesPerMonth' then date_trunc('month', today)::date else today end
    ) end,
    -- Of all the tenant's agents: only what is capped is added up.
    case when live.caps ?| array['minutesPerMonth', 'tokensPerDay'] then (
      select jsonb_build_object(
        'tokens_today', coalesce(sum(u.tokens) filter (where u.day = today), 0),
        'billed_seconds_today', coalesce(sum(u.billed_seconds) filter (where u.day = today), 0),
        'billed_seconds_month', coalesce(sum(u.billed_seconds), 0))
      from agent_usage u
      where u.tenant_id = p_tenant
        and u.day >= case when live.caps ? 'minutesPerMonth' then date_trunc('month', today)::date else today end
    ) end;
end $$;

revoke all on function live_agent(uuid, text, text) from public;
grant execute on function live_agent(uuid, text, text) to {{service}};
