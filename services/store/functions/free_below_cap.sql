-- How many sessions more an agent (the whole tenant: null) may have; null without a cap. Far from the cap nobody waits for anybody; near it,
-- creations queue up until the commit and count again, so that the cap is exact.
create or replace function free_below_cap(p_tenant uuid, p_agent text, p_cap integer) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare live integer;
begin
  if p_cap is null then return null; end if;
  for look in 1..2 loop
    select count(*) into live from (
      select from sessions s where s.tenant_id = p_tenant and (p_agent is null or s.agent = p_agent) and s.status <> 'ended' limit p_cap
    ) c;
    exit when look = 2 or live < p_cap - 256;
    perform pg_advisory_xact_lock(hashtextextended(p_tenant::text || coalesce(p_agent, ''), 0));
  end loop;
  return p_cap - live;
end $$;

revoke all on function free_below_cap(uuid, text, integer) from public;
grant execute on function free_below_cap(uuid, text, integer) to {{service}};
