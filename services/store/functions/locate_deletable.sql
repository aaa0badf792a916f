-- Ended sessions whose retention is over, the oldest first.
create or replace function locate_deletable(p_limit integer) returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id, tenant_id from sessions where delete_after <= clock_timestamp() and status = 'ended' order by delete_after limit p_limit
$$;

alter function locate_deletable(integer) owner to {{locator}};
revoke all on function locate_deletable(integer) from public;
grant execute on function locate_deletable(integer) to {{service}};
