-- How many more spoken sessions that need this (null: anything) a host has room for. It may be negative: a call whose host died is taken
-- over by whoever speaks. Null for a host that is gone. One that nobody joins keeps its place for 60 s: after that others may have it, and
-- who joins later asks for one again (take_spoken_place).
create or replace function voice_room(p_host uuid, p_needs jsonb) returns integer
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select case when can_do(h.abilities, p_needs) then h.voice_capacity - (
    select count(*)::integer from sessions s where s.host_id = p_host and s.status <> 'ended' and s.interaction_mode = 'VOICE'
      and (s.status = 'running' or s.created_at > clock_timestamp() - interval '60 seconds')
  ) else 0 end from hosts h where h.id = p_host
$$;

alter function voice_room(uuid, jsonb) owner to {{locator}};
revoke all on function voice_room(uuid, jsonb) from public;
grant execute on function voice_room(uuid, jsonb) to {{service}};
