-- Lets a host leave whose memory has grown too far: when others are there and have room for what it has. From then on it takes nothing more.
-- Such hosts are asked one after another, since two that left for each other would leave nobody. With p_alone one that does nothing leaves
-- although nobody else is there.
create or replace function retire_host(p_host uuid, p_alone boolean) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('parley.retire_host', 0));
  with loads as (
    select h.id, h.capacity, h.voice_capacity, count(s.id) as live, count(s.id) filter (where s.interaction_mode = 'VOICE') as spoken
    from hosts h left join sessions s on s.host_id = h.id and s.status <> 'ended'
    where h.id = p_host or (not h.draining and h.beat_at > clock_timestamp() - interval '5 seconds')
    group by h.id
  ), others as (
    select count(*) as hosts, coalesce(sum(greatest(0, capacity - live)), 0) as room, coalesce(sum(greatest(0, voice_capacity - spoken)), 0) as spoken_room
    from loads where id <> p_host
  )
  update hosts set draining = true from loads, others
  where hosts.id = p_host and loads.id = p_host and loads.live <= others.room and loads.spoken <= others.spoken_room
    and (others.hosts > 0 or p_alone);
  return found;
end $$;

alter function retire_host(uuid, boolean) owner to {{locator}};
revoke all on function retire_host(uuid, boolean) from public;
grant execute on function retire_host(uuid, boolean) to {{service}};
