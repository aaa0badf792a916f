-- As open_sessions.
create or replace function create_sessions(
  p_tenant uuid, p_agent text, p_version text, p_identity text, p_opened_by text, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_requests json
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language sql volatile set search_path = pg_catalog, public, pg_temp as $$
  select * from open_sessions(jsonb_build_object(
    'tenant', p_tenant, 'agent', p_agent, 'version', p_version, 'identity', p_identity,
    'mode', p_requests->0->>'mode', 'needs', p_requests->0->'needs',
    'opened_by', p_opened_by, 'join_timeout_ms', p_join_timeout_ms, 'retention_ms', p_retention_ms, 'unjoined_cap', p_unjoined_cap,
    'concurrent_cap', p_concurrent_cap, 'tenant_cap', p_tenant_cap, 'warm', p_warm,
    'sessions', (select jsonb_agg(r::jsonb - '{mode,needs}'::text[]) from json_array_elements(p_requests) r)))
$$;

revoke all on function create_sessions(uuid, text, text, text, text, integer, bigint, integer, integer, integer, boolean, json) from public;
grant execute on function create_sessions(uuid, text, text, text, text, integer, bigint, integer, integer, integer, boolean, json) to {{service}};
