-- As write_reply.
create or replace function add_reply(
  p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_content text, p_interrupted boolean, p_closes_turn boolean,
  p_tokens integer, p_at timestamptz, p_mode text, p_key text, p_timing jsonb default null
) returns integer
language sql volatile set search_path = pg_catalog, public, pg_temp as $$
  select write_reply(jsonb_build_object(
    'tenant', p_tenant, 'session', p_session, 'epoch', p_epoch, 'turn', p_turn, 'content', p_content, 'interrupted', p_interrupted,
    'closes_turn', p_closes_turn, 'tokens', p_tokens, 'at', p_at, 'mode', p_mode, 'key', p_key, 'timing', p_timing))
$$;

revoke all on function add_reply(uuid, text, integer, integer, text, boolean, boolean, integer, timestamptz, text, text, jsonb) from public;
grant execute on function add_reply(uuid, text, integer, integer, text, boolean, boolean, integer, timestamptz, text, text, jsonb) to {{service}};
