-- A place among its host's spoken sessions for one that may have none: a written one whose person takes a microphone, or a spoken one that
-- nobody joined in time (voice_room). It is spoken from then on. Where there is no place, the host cannot speak it, or its visitor, agent or
-- tenant may have no more, it is a written one and the answer false; so it is for a host that does not own it any more. One after another
-- of a visitor and of a host, in the order of open_sessions, as when sessions are opened.
create or replace function take_spoken_place(p_tenant uuid, p_session text, p_epoch integer, p_needs jsonb) returns boolean
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare it sessions;
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  -- A session's visitor never changes, and an epoch has one host, or none any more.
  select * into it from sessions s where s.id = p_session and s.epoch = p_epoch and s.status <> 'ended' and s.host_id is not null;
  if found then
    if it.visitor is not null then perform pg_advisory_xact_lock(hashtextextended(encode(it.visitor, 'hex'), 0)); end if;
    perform pg_advisory_xact_lock(spoken_lock(it.host_id));
  end if;
  -- A written one takes no place from itself.
  update sessions s set interaction_mode = 'TEXT', speech_needs = null
  where s.id = p_session and s.epoch = p_epoch and s.status <> 'ended' returning s.* into it;
  if not found or coalesce(voice_room(it.host_id, p_needs), 0) <= 0 then return false; end if;
  if least(visitor_voice_room(p_tenant, it.agent, it.visitor_kind, it.visitor), free_of_voice_share(p_tenant, it.agent)) <= 0 then
    return false;
  end if;
  update sessions s set interaction_mode = 'VOICE', speech_needs = p_needs where s.id = p_session;
  return true;
end $$;

revoke all on function take_spoken_place(uuid, text, integer, jsonb) from public;
grant execute on function take_spoken_place(uuid, text, integer, jsonb) to {{service}};
