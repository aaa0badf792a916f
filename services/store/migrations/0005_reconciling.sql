-- What the reconciler compares and writes, over all tenants in one statement each.

drop function locate_live_rooms();

-- Rooms that somebody may be in, with how many persons and agents we believe to be present, and when we last had proof of them.
create function locate_live_rooms() returns table (
  session_id text, tenant_id uuid, room_name text, status text, persons integer, agents integer, last_seen_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, public as $$
  select s.id, s.tenant_id, s.room_name, s.status,
    (count(*) filter (where p.role = 'person'))::integer, (count(*) filter (where p.role = 'agent'))::integer, max(p.last_seen_at)
  from sessions s left join presence p on p.session_id = s.id and p.left_at is null
  where s.status <> 'ended'
  group by s.id
$$;

-- Proof of life for everybody we believe to be in the rooms of these sessions.
create function mark_sessions_seen(p_sessions text[], p_at timestamptz) returns void
language sql volatile security definer set search_path = pg_catalog, public as $$
  update presence set last_seen_at = greatest(last_seen_at, p_at) where session_id = any (p_sessions) and left_at is null
$$;

grant update (last_seen_at) on presence to {{locator}};
create policy see on presence for update to {{locator}} using (true) with check (true);

do $$
declare f text;
begin
  foreach f in array array['locate_live_rooms()', 'mark_sessions_seen(text[], timestamptz)']
  loop
    execute format('alter function %s owner to {{locator}}', f);
    execute format('revoke all on function %s from public', f);
    execute format('grant execute on function %s to {{service}}', f);
  end loop;
end $$;
