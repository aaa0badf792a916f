-- The session that has this room, and its tenant.
create or replace function locate_room(p_room text) returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id, tenant_id from sessions where room_name = p_room
$$;

alter function locate_room(text) owner to {{locator}};
revoke all on function locate_room(text) from public;
grant execute on function locate_room(text) to {{service}};
