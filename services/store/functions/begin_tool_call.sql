-- Committed before the tool runs. Null when another host has taken over or the session is over, -1 when it is one of those that count
-- (is_capped) and the visitor's or the agent's of the day are used up: then the tool must not run.
create or replace function begin_tool_call(p_call jsonb) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare
  c record; it sessions; caps jsonb;
  today constant date := (clock_timestamp() at time zone 'UTC')::date;
begin
  select * into c from jsonb_to_record(p_call) as (
    tenant uuid, session text, epoch integer, turn integer, ordinal integer, id uuid, name text, arguments jsonb, is_capped boolean);
  if current_setting('parley.check_keys', true) = 'on' then perform keys_are_known('begin_tool_call', p_call, to_jsonb(c)); end if;

  perform set_config('parley.tenant', c.tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, last_activity_at = clock_timestamp()
  where s.id = c.session and s.epoch = c.epoch and s.status <> 'ended' returning s.* into it;
  if not found then return null; end if;
  if c.is_capped then
    select a.settings->'caps' into caps from agents a where a.agent = it.agent;
    if (caps->>'toolCallsPerDay')::bigint <= coalesce((select u.tool_calls from agent_usage u where u.agent = it.agent and u.day = today), 0)
      or (caps #>> array[it.visitor_kind, 'toolCallsPerDay'])::bigint
        <= coalesce((select u.tool_calls from visitor_usage u where u.visitor = it.visitor and u.day = today), 0)
    then return -1; end if;
    -- In the order of everybody who counts, so that no two wait for each other: the visitor's first.
    if it.visitor is not null then
      insert into visitor_usage as u (tenant_id, visitor, day, tool_calls) values (c.tenant, it.visitor, today, 1)
      on conflict (tenant_id, visitor, day) do update set tool_calls = u.tool_calls + 1;
    end if;
    insert into agent_usage as u (tenant_id, agent, day, tool_calls) values (c.tenant, it.agent, today, 1)
    on conflict (tenant_id, agent, day) do update set tool_calls = u.tool_calls + 1;
  end if;
  insert into tool_calls (id, tenant_id, session_id, turn, ordinal, sequence, epoch, name, arguments)
  values (c.id, c.tenant, c.session, c.turn, c.ordinal, it.last_sequence, c.epoch, c.name, c.arguments);
  return it.last_sequence;
end $$;

revoke all on function begin_tool_call(jsonb) from public;
grant execute on function begin_tool_call(jsonb) to {{service}};
