-- Committed before the tool runs. Null when another host has taken over or the session is over: then the tool must not run.
create or replace function start_tool_call(
  p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_ordinal integer, p_id uuid, p_name text, p_arguments jsonb
) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare seq integer;
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, last_activity_at = clock_timestamp()
  where s.id = p_session and s.epoch = p_epoch and s.status <> 'ended' returning s.last_sequence into seq;
  if not found then return null; end if;
  insert into tool_calls (id, tenant_id, session_id, turn, ordinal, sequence, epoch, name, arguments)
  values (p_id, p_tenant, p_session, p_turn, p_ordinal, seq, p_epoch, p_name, p_arguments);
  return seq;
end $$;

revoke all on function start_tool_call(uuid, text, integer, integer, integer, uuid, text, jsonb) from public;
grant execute on function start_tool_call(uuid, text, integer, integer, integer, uuid, text, jsonb) to {{service}};
