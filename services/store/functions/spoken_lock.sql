-- The advisory lock of whoever gives a host a spoken session.
create or replace function spoken_lock(p_host uuid) returns bigint
language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select hashtextextended('spoken sessions of ' || p_host, 0)
$$;

revoke all on function spoken_lock(uuid) from public;
grant execute on function spoken_lock(uuid) to {{service}}, {{locator}};
