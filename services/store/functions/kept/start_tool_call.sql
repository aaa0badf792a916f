-- As begin_tool_call.
create or replace function start_tool_call(
  p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_ordinal integer, p_id uuid, p_name text, p_arguments jsonb
) returns integer
language sql volatile set search_path = pg_catalog, public, pg_temp as $$
  select begin_tool_call(jsonb_build_object(
    'tenant', p_tenant, 'session', p_session, 'epoch', p_epoch, 'turn', p_turn, 'ordinal', p_ordinal, 'id', p_id, 'name', p_name,
    'arguments', p_arguments))
$$;

revoke all on function start_tool_call(uuid, text, integer, integer, integer, uuid, text, jsonb) from public;
grant execute on function start_tool_call(uuid, text, integer, integer, integer, uuid, text, jsonb) to {{service}};
