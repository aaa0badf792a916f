-- A session whose request may be a repetition, known by an Idempotency-Key or by a signature that is accepted once: it is created by itself.
create or replace function create_session(
  p_tenant uuid, p_agent text, p_version text, p_id text, p_room text, p_identity text, p_mode text, p_language text, p_voice text,
  p_prompt text, p_channel text, p_opened_by text, p_created_by bytea, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_scope bytea, p_body bytea, p_signature bytea,
  p_needs jsonb default null
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare
  known idempotency_keys; earlier sessions; made record;
  created timestamptz := clock_timestamp();
begin
  perform set_config('parley.tenant', p_tenant::text, true);

  if p_signature is not null then
    insert into used_signatures values (p_tenant, p_signature, created + interval '10 minutes') on conflict do nothing;
    if not found then
      return query select 'signature_used', null::text, null::text, null::text, null::uuid, null::text; return;
    end if;
  end if;

  if p_scope is not null then
    insert into idempotency_keys values (p_tenant, p_scope, p_body, p_id, created)
    on conflict (tenant_id, scope_hash) do update
      set body_hash = excluded.body_hash, session_id = excluded.session_id, created_at = excluded.created_at
      where idempotency_keys.created_at < created - interval '24 hours';
    if not found then
      select * into known from idempotency_keys k where k.tenant_id = p_tenant and k.scope_hash = p_scope;
      select * into earlier from sessions s where s.id = known.session_id;
      return query select
        case when known.body_hash <> p_body then 'idempotency_key_reused'
             when earlier.status = 'ended' then 'session_ended'
             when earlier.agent_ready_at is null and earlier.agent_due_at is null then 'idempotency_key_in_progress'
             else 'replayed' end,
        earlier.id, earlier.room_name, earlier.participant_identity, earlier.host_id, earlier.voice_id;
      return;
    end if;
  end if;

  select * into made from create_sessions(
    p_tenant, p_agent, p_version, p_identity, p_opened_by, p_join_timeout_ms, p_retention_ms,
    p_unjoined_cap, p_concurrent_cap, p_tenant_cap, p_warm,
    json_build_array(json_build_object('id', p_id, 'room', p_room, 'mode', p_mode, 'language', p_language, 'voice', p_voice,
      'prompt', p_prompt, 'channel', p_channel, 'created_by', encode(p_created_by, 'hex'), 'needs', p_needs)));
  -- What was refused may be asked for again under the same key.
  if made.session_id is null then
    delete from idempotency_keys k where k.tenant_id = p_tenant and k.scope_hash = p_scope;
  end if;
  return query select made.result, made.session_id, made.room_name, made.identity, made.host_id, made.voice_id;
end $$;

revoke all on function create_session(uuid, text, text, text, text, text, text, text, text, text, text, text, bytea, integer, bigint, integer, integer, integer, boolean, bytea, bytea, bytea, jsonb) from public;
grant execute on function create_session(uuid, text, text, text, text, text, text, text, text, text, text, text, bytea, integer, bigint, integer, integer, integer, boolean, bytea, bytea, bytea, jsonb) to {{service}};
