-- How many more of the fleet's spoken places an agent may take within its share and its tenant's; null without one (fleet_share). Counted
-- as hosts count them (voice_room).
create or replace function voice_share_room(p_tenant uuid, p_agent text) returns integer
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select least(f.of_agent - l.of_agent, f.of_tenant - l.of_tenant)
  from fleet_share(p_tenant, p_agent, true) f, lateral (
    select (count(*) filter (where s.agent = p_agent))::integer as of_agent, count(*)::integer as of_tenant
    from sessions s
    where s.tenant_id = p_tenant and (f.of_tenant is not null or s.agent = p_agent) and s.status <> 'ended' and s.interaction_mode = 'VOICE'
      and (s.status = 'running' or s.created_at > clock_timestamp() - interval '60 seconds')
  ) l
  where f.of_agent is not null or f.of_tenant is not null
$$;

revoke all on function voice_share_room(uuid, text) from public;
grant execute on function voice_share_room(uuid, text) to {{service}};
