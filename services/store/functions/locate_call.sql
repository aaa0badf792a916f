-- The telephone call that has this room, and its tenant.
create or replace function locate_call(p_room text) returns table (call_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id, tenant_id from calls where room_name = p_room
$$;

alter function locate_call(text) owner to {{locator}};
revoke all on function locate_call(text) from public;
grant execute on function locate_call(text) to {{service}};
