-- As open_session.
create or replace function create_session(
  p_tenant uuid, p_agent text, p_version text, p_id text, p_room text, p_identity text, p_mode text, p_language text, p_voice text,
  p_prompt text, p_channel text, p_opened_by text, p_created_by bytea, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_scope bytea, p_body bytea, p_signature bytea,
  p_needs jsonb default null
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language sql volatile set search_path = pg_catalog, public, pg_temp as $$
  select * from open_session(jsonb_build_object(
    'tenant', p_tenant, 'agent', p_agent, 'version', p_version, 'identity', p_identity, 'mode', p_mode, 'needs', p_needs,
    'opened_by', p_opened_by, 'join_timeout_ms', p_join_timeout_ms, 'retention_ms', p_retention_ms, 'unjoined_cap', p_unjoined_cap,
    'concurrent_cap', p_concurrent_cap, 'tenant_cap', p_tenant_cap, 'warm', p_warm,
    'scope_hash', encode(p_scope, 'hex'), 'body_hash', encode(p_body, 'hex'), 'signature', encode(p_signature, 'hex'),
    'sessions', jsonb_build_array(jsonb_build_object('id', p_id, 'room', p_room, 'language', p_language, 'voice', p_voice,
      'prompt', p_prompt, 'channel', p_channel, 'created_by', encode(p_created_by, 'hex')))))
$$;

revoke all on function create_session(uuid, text, text, text, text, text, text, text, text, text, text, text, bytea, integer, bigint, integer, integer, integer, boolean, bytea, bytea, bytea, jsonb) from public;
grant execute on function create_session(uuid, text, text, text, text, text, text, text, text, text, text, text, bytea, integer, bigint, integer, integer, integer, boolean, bytea, bytea, bytea, jsonb) to {{service}};
