-- How many places of the fleet (its spoken ones, or all) an agent may have, and its tenant: their declared shares of it, in per cent. Null
-- where no share is declared, nobody else could come, or no host is there (docs/decisions/0021-shares-of-the-fleet.md).
create or replace function fleet_share(p_tenant uuid, p_agent text, p_spoken boolean) returns table (of_agent integer, of_tenant integer)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with fleet as (
    select sum(case when p_spoken then voice_capacity else capacity end) as places from hosts where not draining
  ), others as (
    select count(*) > 0 as agents, bool_or(tenant_id <> p_tenant) as tenants from agents
    where (tenant_id, agent) <> (p_tenant, p_agent) and deleted_at is null and disabled_at is null
  )
  select
    case when others.agents then ceil(places * (a.settings #>> '{caps,fleetShare}')::integer / 100.0)::integer end,
    case when others.tenants then ceil(places * (t.caps->>'fleetShare')::integer / 100.0)::integer end
  from fleet, others, agents a, tenants t
  where places > 0 and a.tenant_id = p_tenant and a.agent = p_agent and t.id = p_tenant
$$;

alter function fleet_share(uuid, text, boolean) owner to {{locator}};
revoke all on function fleet_share(uuid, text, boolean) from public;
grant execute on function fleet_share(uuid, text, boolean) to {{service}};
