-- How many more spoken sessions a host has room for, whatever they need.
create or replace function voice_room(p_host uuid) returns integer
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select voice_room(p_host, null)
$$;

alter function voice_room(uuid) owner to {{locator}};
revoke all on function voice_room(uuid) from public;
grant execute on function voice_room(uuid) to {{service}};
