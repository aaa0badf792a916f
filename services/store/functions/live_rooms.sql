-- Rooms that somebody may be in, with how many persons and agents we believe to be present, when we last had proof of any of them
-- (last_seen_at), and of whom it is oldest (least_seen_at): what the reconciler compares with the room server's own list.
create or replace function live_rooms() returns table (
  session_id text, tenant_id uuid, room_name text, status text, persons integer, agents integer, last_seen_at timestamptz,
  least_seen_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select s.id, s.tenant_id, s.room_name, s.status,
    (count(*) filter (where p.role = 'person'))::integer, (count(*) filter (where p.role = 'agent'))::integer,
    max(p.last_seen_at), min(p.last_seen_at)
  from sessions s left join presence p on p.session_id = s.id and p.left_at is null
  where s.status <> 'ended'
  group by s.id
$$;

alter function live_rooms() owner to {{locator}};
revoke all on function live_rooms() from public;
grant execute on function live_rooms() to {{service}};
