-- Whose agents are live, the latest first: a host looks at what they need as it starts. What they are is read as their tenant.
create or replace function locate_agents(p_limit integer) returns table (tenant_id uuid, agent text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select tenant_id, agent from agents where deleted_at is null and disabled_at is null order by activated_at desc limit p_limit
$$;

alter function locate_agents(integer) owner to {{locator}};
revoke all on function locate_agents(integer) from public;
grant execute on function locate_agents(integer) to {{service}};
