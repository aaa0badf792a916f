-- How many sessions more a visitor (of a kind that the agent's caps name) may have; null where no cap is declared, or none can be reached
-- before the agent's own. The minutes of the day are those of sessions that ended; running ones are ended by locate_over_caps.
create or replace function visitor_room(p_tenant uuid, p_agent text, p_kind text, p_visitor bytea, p_spoken boolean) returns integer
language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select least(
    case when (c.caps->>'sessions')::integer < c.own then (c.caps->>'sessions')::integer - (
      select count(*)::integer from sessions s where s.tenant_id = p_tenant and s.visitor = p_visitor and s.status <> 'ended') end,
    case when p_spoken then visitor_voice_room(p_tenant, p_agent, p_kind, p_visitor) end,
    case when (c.caps->>'minutesPerDay')::bigint * 60 <= (
      select u.billed_seconds from visitor_usage u
      where u.tenant_id = p_tenant and u.visitor = p_visitor and u.day = (clock_timestamp() at time zone 'UTC')::date) then 0 end)
  from (
    select a.settings #> array['caps', p_kind] as caps, (a.settings #>> '{caps,concurrentSessions}')::integer as own
    from agents a where a.tenant_id = p_tenant and a.agent = p_agent
  ) c
$$;

revoke all on function visitor_room(uuid, text, text, bytea, boolean) from public;
grant execute on function visitor_room(uuid, text, text, bytea, boolean) to {{service}};
