-- Gives sessions without a host to this one. A new epoch makes every earlier host's writes stale.
-- - New sessions (epoch 0), at most p_fresh of each mode: they are left to the warm rooms of hosts that have some, unless their room exists
--   already (opened_by room) or their callers were answered without an agent (agent_due_at). Spoken ones only where the host can speak
--   them and has room.
-- - Orphaned sessions: spoken ones after a second wherever they can be spoken at all, room or not: a person in mid-call hears silence.
-- Where spoken ones wait, whoever gives this host a place does so one at a time (open_sessions, take_spoken_place), or it would get more than
-- it has room for.
create or replace function claim_sessions(p_host uuid, p_fresh integer, p_total integer, p_has_warm_rooms boolean)
returns table (session_id text, tenant_id uuid, epoch integer)
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
begin
  if exists (select from sessions where host_id is null and status <> 'ended' and interaction_mode = 'VOICE') then
    perform pg_advisory_xact_lock(spoken_lock(p_host));
  end if;
  return query with host as materialized (
    select coalesce(max(voice_capacity), 0) > 0 as speaks, greatest(0, coalesce(max(voice_room(id, null)), 0)) as room,
      max(abilities) as abilities from hosts where id = p_host
  ), written as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode <> 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room' or agent_due_at is not null)
    order by created_at limit p_fresh for update skip locked
  ), spoken as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode = 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room' or agent_due_at is not null) and can_do((select abilities from host), speech_needs)
    order by created_at limit (select least(p_fresh, room) from host) for update skip locked
  ), orphaned as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch > 0
      and (interaction_mode <> 'VOICE' or (can_do((select abilities from host), speech_needs) and ((select room > 0 from host)
        or ((select speaks from host) and unattended_since < clock_timestamp() - interval '1 second'))))
    order by created_at limit p_total for update skip locked
  ), chosen as (
    select id from (table written union all table spoken union all table orphaned) c limit p_total
  )
  update sessions s set host_id = p_host, host_acked = true, epoch = s.epoch + 1
  from chosen where s.id = chosen.id
  returning s.id, s.tenant_id, s.epoch;
end $$;

alter function claim_sessions(uuid, integer, integer, boolean) owner to {{locator}};
revoke all on function claim_sessions(uuid, integer, integer, boolean) from public;
grant execute on function claim_sessions(uuid, integer, integer, boolean) to {{service}};
