-- Committed before the tool runs. Null when another host has taken over or the session is over: then the tool must not run.
create or replace function begin_tool_call(p_call jsonb) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare c record; seq integer;
begin
  select * into c from jsonb_to_record(p_call) as (
    tenant uuid, session text, epoch integer, turn integer, ordinal integer, id uuid, name text, arguments jsonb);
  if current_setting('parley.check_keys', true) = 'on' then perform keys_are_known('begin_tool_call', p_call, to_jsonb(c)); end if;

  perform set_config('parley.tenant', c.tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, last_activity_at = clock_timestamp()
  where s.id = c.session and s.epoch = c.epoch and s.status <> 'ended' returning s.last_sequence into seq;
  if not found then return null; end if;
  insert into tool_calls (id, tenant_id, session_id, turn, ordinal, sequence, epoch, name, arguments)
  values (c.id, c.tenant, c.session, c.turn, c.ordinal, seq, c.epoch, c.name, c.arguments);
  return seq;
end $$;

revoke all on function begin_tool_call(jsonb) from public;
grant execute on function begin_tool_call(jsonb) to {{service}};
