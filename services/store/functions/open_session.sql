-- Opens one session whose request may be a repetition, known by an Idempotency-Key (scope_hash, body_hash) or by a signature that is
-- accepted once. A request that comes again with both as they were is a repetition: its answer may have been lost. The rest of the request
-- is what open_sessions takes, with one session.
create or replace function open_session(p_request jsonb)
returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare
  known idempotency_keys; is_repetition boolean := false; earlier sessions; made record;
  created timestamptz := clock_timestamp();
  asked_tenant constant uuid := p_request->>'tenant';
  sent constant bytea := decode(p_request->>'signature', 'hex');
  scope constant bytea := decode(p_request->>'scope_hash', 'hex');
  body constant bytea := decode(p_request->>'body_hash', 'hex');
begin
  perform set_config('parley.tenant', asked_tenant::text, true);

  if scope is not null then
    insert into idempotency_keys as k (tenant_id, scope_hash, body_hash, session_id, created_at, signature)
    values (asked_tenant, scope, body, p_request #>> '{sessions,0,id}', created, sent)
    on conflict (tenant_id, scope_hash) do update
      set body_hash = excluded.body_hash, session_id = excluded.session_id, created_at = excluded.created_at, signature = excluded.signature
      where k.created_at < created - interval '24 hours';
    is_repetition := not found;
    if is_repetition then
      select * into known from idempotency_keys k where k.tenant_id = asked_tenant and k.scope_hash = scope;
    end if;
  end if;

  if sent is not null and known.signature is distinct from sent then
    insert into used_signatures values (asked_tenant, sent, created + interval '10 minutes') on conflict do nothing;
    if not found then
      if not is_repetition then delete from idempotency_keys k where k.tenant_id = asked_tenant and k.scope_hash = scope; end if;
      return query select 'signature_used', null::text, null::text, null::text, null::uuid, null::text; return;
    end if;
  end if;

  if is_repetition then
    select * into earlier from sessions s where s.id = known.session_id;
    return query select
      case when known.body_hash <> body then 'idempotency_key_reused'
           when earlier.status = 'ended' then 'session_ended'
           when earlier.agent_ready_at is null and earlier.agent_due_at is null then 'idempotency_key_in_progress'
           else 'replayed' end,
      earlier.id, earlier.room_name, earlier.participant_identity, earlier.host_id, earlier.voice_id;
    return;
  end if;

  select * into made from open_sessions(p_request - '{signature,scope_hash,body_hash}'::text[]);
  -- What was refused may be asked for again, just as it was.
  if made.session_id is null then
    delete from idempotency_keys k where k.tenant_id = asked_tenant and k.scope_hash = scope;
    delete from used_signatures u where u.tenant_id = asked_tenant and u.signature = sent;
  end if;
  return query select made.result, made.session_id, made.room_name, made.identity, made.host_id, made.voice_id;
end $$;

revoke all on function open_session(jsonb) from public;
grant execute on function open_session(jsonb) to {{service}};
