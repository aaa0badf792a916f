-- Which of these rooms belong to nobody: neither to a live session nor to a host's warm rooms, nor to a call whose host was lost a moment
-- ago and whose person another host takes leave of: 8 s until it is there, and 20 s for its words (services/core/telephony/left-alone.ts).
create or replace function locate_stray_rooms(p_rooms text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select r from unnest(p_rooms) r
  where not exists (select 1 from sessions s where s.room_name = r and (s.status <> 'ended'
      or s.channel = 'phone' and s.end_reason = 'agent_unavailable' and s.ended_at > now() - interval '30 seconds'))
    and not exists (select 1 from warm_rooms w where w.room_name = r)
$$;

alter function locate_stray_rooms(text[]) owner to {{locator}};
revoke all on function locate_stray_rooms(text[]) from public;
grant execute on function locate_stray_rooms(text[]) to {{service}};
