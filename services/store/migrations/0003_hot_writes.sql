-- The writes of the hot path: each names the tenant for its own transaction and does everything in one round trip.
-- They run with the caller's rights, so the policies of row-level security hold inside them.

-- Takes the oldest warm room whose host is alive. A host whose advisory lock can be had is dead, or has not taken it again yet
-- after a restart of PostgreSQL: its rooms are left alone, until somebody proves it dead.
create function take_warm_room() returns warm_rooms
language plpgsql volatile set search_path = pg_catalog, public as $$
declare candidate warm_rooms; host_lock bigint; passed_over uuid[] := '{}';
begin
  for i in 1..32 loop
    select * into candidate from warm_rooms w where w.host_id <> all (passed_over) order by w.created_at limit 1 for update skip locked;
    exit when not found;
    select lock_key into host_lock from hosts where id = candidate.host_id and not draining;
    if found and not pg_try_advisory_xact_lock_shared(host_lock) then
      delete from warm_rooms where room_name = candidate.room_name;
      return candidate;
    end if;
    passed_over := passed_over || candidate.host_id;
  end loop;
  return null;
end $$;

-- Whether as many sessions of an agent (of the whole tenant: null) are live as may be. Holds a lock until the commit when it is close.
create function is_at_cap(p_tenant uuid, p_agent text, p_cap integer) returns boolean
language plpgsql volatile set search_path = pg_catalog, public as $$
declare live integer;
begin
  select count(*) into live from (
    select 1 from sessions s where s.tenant_id = p_tenant and (p_agent is null or s.agent = p_agent) and s.status <> 'ended' limit p_cap
  ) c;
  if live >= p_cap - 64 then
    perform pg_advisory_xact_lock(hashtextextended(p_tenant::text || coalesce(p_agent, ''), 0));
    select count(*) into live from (
      select 1 from sessions s where s.tenant_id = p_tenant and (p_agent is null or s.agent = p_agent) and s.status <> 'ended' limit p_cap
    ) c;
  end if;
  return live >= p_cap;
end $$;

create function create_session(
  p_tenant uuid, p_agent text, p_version text, p_id text, p_room text, p_identity text, p_mode text, p_language text, p_voice text,
  p_prompt text, p_channel text, p_opened_by text, p_created_by bytea, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_scope bytea, p_body bytea, p_signature bytea
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public as $$
declare
  known idempotency_keys; earlier sessions; warm warm_rooms; live integer;
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
             when earlier.agent_ready_at is null then 'idempotency_key_in_progress'
             else 'replayed' end,
        earlier.id, earlier.room_name, earlier.participant_identity, earlier.host_id, earlier.voice_id;
      return;
    end if;
  end if;

  if p_created_by is not null then
    select count(*) into live from (
      select 1 from sessions s where s.tenant_id = p_tenant and s.created_by = p_created_by and s.status = 'created' limit p_unjoined_cap
    ) c;
    if live >= p_unjoined_cap - 64 then
      perform pg_advisory_xact_lock(hashtextextended(encode(p_created_by, 'hex'), 0));
      select count(*) into live from (
        select 1 from sessions s where s.tenant_id = p_tenant and s.created_by = p_created_by and s.status = 'created' limit p_unjoined_cap
      ) c;
    end if;
    if live >= p_unjoined_cap then
      delete from idempotency_keys k where k.tenant_id = p_tenant and k.scope_hash = p_scope;
      return query select 'unjoined_limit', null::text, null::text, null::text, null::uuid, null::text; return;
    end if;
  end if;

  -- Far from a cap nobody waits for anybody; near it, creations queue up and count again, so the cap is exact.
  if is_at_cap(p_tenant, p_agent, p_concurrent_cap) or (p_tenant_cap is not null and is_at_cap(p_tenant, null, p_tenant_cap)) then
    delete from idempotency_keys k where k.tenant_id = p_tenant and k.scope_hash = p_scope;
    return query select 'concurrency_limit', null::text, null::text, null::text, null::uuid, null::text; return;
  end if;

  if p_warm then
    warm := take_warm_room();
  end if;

  insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, interaction_mode, language, voice_id,
    prompt_override, channel, opened_by, created_by, created_at, last_activity_at, deadline_at, delete_after,
    host_id, epoch, agent_ready_at, unattended_since)
  values (p_id, p_tenant, p_agent, p_version, coalesce(warm.room_name, p_room), p_identity, p_mode, p_language, p_voice,
    p_prompt, p_channel, p_opened_by, p_created_by, created, created, created + p_join_timeout_ms * interval '1 millisecond',
    created + p_retention_ms * interval '1 millisecond',
    warm.host_id, case when warm.host_id is null then 0 else 1 end, case when warm.host_id is null then null else created end,
    case when warm.host_id is null then created end);

  return query select case when warm.host_id is null then 'cold' else 'warm' end,
    p_id, coalesce(warm.room_name, p_room), p_identity, warm.host_id, p_voice;
end $$;

-- What the person wrote or said. Accepted from any host, whatever its epoch: it is a fact. Heard twice (a handover), it is stored once.
create function add_person_text(
  p_tenant uuid, p_session text, p_key text, p_content text, p_at timestamptz, p_mode text
) returns table (sequence integer, is_new boolean)
language plpgsql volatile set search_path = pg_catalog, public as $$
declare seq integer;
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, turns = s.turns + 1, last_activity_at = greatest(s.last_activity_at, p_at)
  where s.id = p_session and s.finished_at is null returning s.last_sequence into seq;
  if not found then return; end if;
  insert into messages (tenant_id, session_id, sequence, role, source, content, at, message_key, turn, mode)
  values (p_tenant, p_session, seq, 'USER', 'host', p_content, p_at, p_key, seq, p_mode)
  on conflict (session_id, message_key) do nothing;
  if found then
    return query select seq, true;
  else
    update sessions s set turns = s.turns - 1 where s.id = p_session;
    return query select m.sequence, false from messages m where m.session_id = p_session and m.message_key = p_key;
  end if;
end $$;

-- What the agent said, by the host that owns the session; no row comes back when another host has taken over.
create function add_reply(
  p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_content text, p_interrupted boolean, p_closes_turn boolean,
  p_tokens integer, p_at timestamptz, p_mode text, p_key text
) returns integer
language plpgsql volatile set search_path = pg_catalog, public as $$
declare seq integer;
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, tokens = s.tokens + p_tokens, last_activity_at = greatest(s.last_activity_at, p_at)
  where s.id = p_session and s.epoch = p_epoch and s.finished_at is null returning s.last_sequence into seq;
  if not found then return null; end if;
  if p_content <> '' then
    insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn, interrupted, mode, message_key)
    values (p_tenant, p_session, seq, 'ASSISTANT', 'host', p_content, p_at, p_turn, p_interrupted, p_mode, p_key)
    on conflict (session_id, message_key) do nothing;
  end if;
  if p_closes_turn then
    update messages m set answered_at = p_at where m.session_id = p_session and m.sequence = p_turn and m.answered_at is null;
  end if;
  return seq;
end $$;

-- Committed before the tool runs. No row comes back when another host has taken over or the session is over.
create function start_tool_call(
  p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_ordinal integer, p_id uuid, p_name text, p_arguments jsonb
) returns integer
language plpgsql volatile set search_path = pg_catalog, public as $$
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

create function finish_tool_call(p_tenant uuid, p_id uuid, p_status text, p_result text) returns boolean
language plpgsql volatile set search_path = pg_catalog, public as $$
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update tool_calls set status = p_status, result = p_result, finished_at = clock_timestamp() where id = p_id and status = 'started';
  return found;
end $$;

revoke all on all functions in schema public from public;
grant execute on all functions in schema public to {{service}};
