-- How many spoken sessions more a visitor may have; null as in visitor_room.
create or replace function visitor_voice_room(p_tenant uuid, p_agent text, p_kind text, p_visitor bytea) returns integer
language plpgsql stable set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
declare cap integer; own integer;
begin
  select a.settings #>> array['caps', p_kind, 'spokenSessions'], a.settings #>> '{caps,concurrentSessions}' into cap, own
  from agents a where a.tenant_id = p_tenant and a.agent = p_agent;
  if cap is null or cap >= own then return null; end if;
  return cap - (
    select count(*) from sessions s
    where s.tenant_id = p_tenant and s.visitor = p_visitor and s.status <> 'ended' and s.interaction_mode = 'VOICE');
end $$;

revoke all on function visitor_voice_room(uuid, text, text, bytea) from public;
grant execute on function visitor_voice_room(uuid, text, text, bytea) to {{service}};
