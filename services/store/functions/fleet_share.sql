-- How many places of the fleet (its spoken ones, or all) an agent may have, and its tenant: their declared shares of it, in per cent. Null
-- where no share is declared, nobody else could come, or no host is there (docs/decisions/0021-shares-of-the-fleet.md).
create or replace function fleet_share(p_tenant uuid, p_agent text, p_spoken boolean) returns table (of_agent integer, of_tenant integer)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare places bigint; share integer; one record; other record;
begin
  select sum(case when p_spoken then h.voice_capacity else h.capacity end) into places from hosts h where not h.draining;
  if places is null or places = 0 then return; end if;
  -- Where the first and the last of all agents are the same there is one. An index finds both at once; whoever looks for others reads all.
  select a.tenant_id, a.agent into one from agents a
  where a.deleted_at is null and a.disabled_at is null order by a.tenant_id, a.agent limit 1;
  select a.tenant_id, a.agent into other from agents a
  where a.deleted_at is null and a.disabled_at is null order by a.tenant_id desc, a.agent desc limit 1;
  if one.tenant_id <> p_tenant or other.tenant_id <> p_tenant then
    select (t.caps->>'fleetShare')::integer into share from tenants t where t.id = p_tenant;
    of_tenant := ceil(places * share / 100.0);
  elsif one.agent = other.agent then return;
  end if;
  select (a.settings #>> '{caps,fleetShare}')::integer into share from agents a where a.tenant_id = p_tenant and a.agent = p_agent;
  of_agent := ceil(places * share / 100.0);
  return next;
end $$;

alter function fleet_share(uuid, text, boolean) owner to {{locator}};
revoke all on function fleet_share(uuid, text, boolean) from public;
grant execute on function fleet_share(uuid, text, boolean) to {{service}};
