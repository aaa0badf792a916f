-- Which of these rooms belong to nobody: neither to a live session nor to a host's warm rooms.
create or replace function locate_stray_rooms(p_rooms text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select r from unnest(p_rooms) r
  where not exists (select 1 from sessions s where s.room_name = r and s.status <> 'ended')
    and not exists (select 1 from warm_rooms w where w.room_name = r)
$$;

alter function locate_stray_rooms(text[]) owner to {{locator}};
revoke all on function locate_stray_rooms(text[]) from public;
grant execute on function locate_stray_rooms(text[]) to {{service}};
