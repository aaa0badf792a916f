-- Stores what came of a tool call. The first to say so is right: false when it was finished already.
create or replace function finish_tool_call(p_tenant uuid, p_id uuid, p_status text, p_result text) returns boolean
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update tool_calls set status = p_status, result = p_result, finished_at = clock_timestamp() where id = p_id and status = 'started';
  return found;
end $$;

revoke all on function finish_tool_call(uuid, uuid, text, text) from public;
grant execute on function finish_tool_call(uuid, uuid, text, text) to {{service}};
