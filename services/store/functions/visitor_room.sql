-- How many sessions more a visitor (of a kind that the agent's caps name) may have; null where no cap is declared, or none can be reached
-- before the agent's own. The minutes of the day are those of sessions that ended; running ones are ended by locate_over_caps.
-- In PL/pgSQL, which keeps its plans, and by an index at any time: a plan that was made while there were no sessions would read them all.
create or replace function visitor_room(p_tenant uuid, p_agent text, p_kind text, p_visitor bytea, p_spoken boolean) returns integer
language plpgsql stable set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
declare
  caps jsonb; own integer; room integer;
  today constant date := (clock_timestamp() at time zone 'UTC')::date;
begin
  select a.settings #> array['caps', p_kind], a.settings #>> '{caps,concurrentSessions}' into caps, own
  from agents a where a.tenant_id = p_tenant and a.agent = p_agent;
  if caps is null then return null; end if;
  if (caps->>'minutesPerDay')::bigint * 60 <= (
    select u.billed_seconds from visitor_usage u where u.tenant_id = p_tenant and u.visitor = p_visitor and u.day = today)
  then return 0; end if;
  if (caps->>'sessions')::integer < own then
    select (caps->>'sessions')::integer - count(*) into room
    from sessions s where s.tenant_id = p_tenant and s.visitor = p_visitor and s.status <> 'ended';
  end if;
  if p_spoken then room := least(room, visitor_voice_room(p_tenant, p_agent, p_kind, p_visitor)); end if;
  return room;
end $$;

revoke all on function visitor_room(uuid, text, text, bytea, boolean) from public;
grant execute on function visitor_room(uuid, text, text, bytea, boolean) to {{service}};
