-- Gives this host's warm rooms to sessions that found none when they were created, the oldest first: nobody has been told of the room that
-- they were created with. Left alone: sessions whose callers gave up, and those whose callers were answered (agent_due_at) and know their
-- room already. Of the spoken ones as many as this host can speak and has room for: counted by one at a time, as in claim_sessions.
create or replace function assign_warm_rooms(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, room_name text)
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  if exists (
    select from sessions where host_id is null and status = 'created' and epoch = 0 and interaction_mode = 'VOICE'
  ) then
    perform pg_advisory_xact_lock(spoken_lock(p_host));
  end if;
  return query with written as (
    select id, created_at from sessions
    where host_id is null and status = 'created' and sessions.epoch = 0 and opened_by <> 'room' and agent_due_at is null
      and interaction_mode <> 'VOICE'
    order by created_at limit (select count(*) from warm_rooms where host_id = p_host) for update skip locked
  ), spoken as (
    select id, created_at from sessions
    where host_id is null and status = 'created' and sessions.epoch = 0 and opened_by <> 'room' and agent_due_at is null
      and interaction_mode = 'VOICE'
      and can_do((select abilities from hosts where id = p_host), speech_needs)
    order by created_at limit greatest(0, coalesce(voice_room(p_host, null), 0)) for update skip locked
  ), waiting as (
    select id, row_number() over (order by created_at) as place from (table written union all table spoken) s
  ), free as (
    -- Locking rooms writes to the log: as many as there are sessions for, and none for nobody.
    select w.room_name, row_number() over () as place
    from (
      select * from warm_rooms where host_id = p_host order by created_at limit (select count(*) from waiting) for update skip locked
    ) w
  ), pairs as (
    select waiting.id, free.room_name from waiting join free using (place)
  ), taken as (
    delete from warm_rooms w using pairs where w.room_name = pairs.room_name
  )
  update sessions s set room_name = pairs.room_name, host_id = p_host, host_acked = true, epoch = 1,
    agent_ready_at = clock_timestamp(), unattended_since = null
  from pairs where s.id = pairs.id
  returning s.id, s.tenant_id, s.epoch, s.room_name;
end $$;

alter function assign_warm_rooms(uuid) owner to {{locator}};
revoke all on function assign_warm_rooms(uuid) from public;
grant execute on function assign_warm_rooms(uuid) to {{service}};
