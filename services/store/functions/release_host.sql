-- For a host that was proven dead, or that gives everything away: its sessions wait for a new host, its warm rooms are forgotten. Its
-- agents were there until its last beat; the room server goes on listing them for some 20 s, in which nobody is heard. Returns how
-- many sessions.
create or replace function release_host(p_host uuid) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
declare released integer;
begin
  delete from warm_rooms where host_id = p_host;
  -- Sessions first, as everybody who writes presence locks them.
  with freed as (
    update sessions set host_id = null, host_acked = false, unattended_since = coalesce(unattended_since, clock_timestamp()),
      deadline_at = least(deadline_at, clock_timestamp() + interval '60 seconds')
    where host_id = p_host and status <> 'ended' returning id
  ), closed as (
    update presence p set left_at = greatest(p.joined_at, h.beat_at), left_by = 'host_gone'
    from freed, hosts h
    where h.id = p_host and p.session_id = freed.id and p.role = 'agent' and (p.left_at is null or p.left_at > h.beat_at)
  )
  select count(*) into released from freed;
  delete from hosts where id = p_host;
  return released;
end $$;

alter function release_host(uuid) owner to {{locator}};
revoke all on function release_host(uuid) from public;
grant execute on function release_host(uuid) to {{service}};
