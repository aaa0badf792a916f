-- Sessions that wait for an agent host after their callers were answered, and spoken ones that were refused without a row.

-- Until when it waits; null: its caller is answered when the agent is there, or refused.
alter table sessions add column agent_due_at timestamptz;

-- Until when a session that found no agent may wait; null when it may not, because as many of the tenant's do, or its agent has come
-- or the session is over meanwhile. One after another, so that no more wait than may.
create function await_host(p_tenant uuid, p_session text, p_seconds integer, p_most integer) returns timestamptz
language plpgsql volatile set search_path = pg_catalog, public as $$
declare due timestamptz := clock_timestamp() + p_seconds * interval '1 second';
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  perform pg_advisory_xact_lock(hashtextextended('waiting for a host ' || p_tenant, 0));
  update sessions s set agent_due_at = due, deadline_at = least(s.deadline_at, due)
  where s.id = p_session and s.status = 'created' and s.agent_ready_at is null and p_most > (
    select count(*) from sessions w where w.tenant_id = p_tenant and w.host_id is null and w.status <> 'ended' and w.agent_due_at is not null
  )
  returning s.agent_due_at into due;
  return due;
end $$;

-- As before (0013). Whoever was answered knows the session's room already, so that no warm room takes its place.
create or replace function assign_warm_rooms(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, room_name text)
language sql volatile security definer set search_path = pg_catalog, public as $$
  with free as (
    select w.room_name, row_number() over () as place
    from (select * from warm_rooms where host_id = p_host order by created_at for update skip locked) w
  ), written as (
    select id, created_at from sessions
    where host_id is null and status = 'created' and sessions.epoch = 0 and opened_by <> 'room' and agent_due_at is null
      and interaction_mode <> 'VOICE'
    order by created_at limit (select count(*) from free) for update skip locked
  ), spoken as (
    select id, created_at from sessions
    where host_id is null and status = 'created' and sessions.epoch = 0 and opened_by <> 'room' and agent_due_at is null
      and interaction_mode = 'VOICE'
      and can_do((select abilities from hosts where id = p_host), speech_needs)
    order by created_at limit greatest(0, coalesce(voice_room(p_host), 0)) for update skip locked
  ), waiting as (
    select id, row_number() over (order by created_at) as place from (table written union all table spoken) s
  ), pairs as (
    select waiting.id, free.room_name from waiting join free using (place)
  ), taken as (
    delete from warm_rooms w using pairs where w.room_name = pairs.room_name
  )
  update sessions s set room_name = pairs.room_name, host_id = p_host, host_acked = true, epoch = 1,
    agent_ready_at = clock_timestamp(), unattended_since = null
  from pairs where s.id = pairs.id
  returning s.id, s.tenant_id, s.epoch, s.room_name
$$;

-- As before (0013), and those whose callers were answered, whether or not the host has warm rooms.
create or replace function claim_sessions(p_host uuid, p_fresh integer, p_total integer, p_has_warm_rooms boolean)
returns table (session_id text, tenant_id uuid, epoch integer)
language sql volatile security definer set search_path = pg_catalog, public as $$
  with host as materialized (
    select coalesce(max(voice_capacity), 0) > 0 as speaks, greatest(0, coalesce(max(voice_room(id)), 0)) as room,
      max(abilities) as abilities from hosts where id = p_host
  ), written as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode <> 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room' or agent_due_at is not null)
    order by created_at limit p_fresh for update skip locked
  ), spoken as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode = 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room' or agent_due_at is not null) and can_do((select abilities from host), speech_needs)
    order by created_at limit (select least(p_fresh, room) from host) for update skip locked
  ), orphaned as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch > 0
      and (interaction_mode <> 'VOICE' or (can_do((select abilities from host), speech_needs) and ((select room > 0 from host)
        or ((select speaks from host) and unattended_since < clock_timestamp() - interval '1 second'))))
    order by created_at limit p_total for update skip locked
  ), chosen as (
    select id from (table written union all table spoken union all table orphaned) c limit p_total
  )
  update sessions s set host_id = p_host, host_acked = true, epoch = s.epoch + 1
  from chosen where s.id = chosen.id
  returning s.id, s.tenant_id, s.epoch
$$;

-- As before (0013); a session that waits for a host was answered, and its answer can be had again.
create or replace function create_session(
  p_tenant uuid, p_agent text, p_version text, p_id text, p_room text, p_identity text, p_mode text, p_language text, p_voice text,
  p_prompt text, p_channel text, p_opened_by text, p_created_by bytea, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_scope bytea, p_body bytea, p_signature bytea,
  p_needs jsonb default null
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public as $$
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

-- Spoken sessions that were refused at once, by the second: 64 rows that are written over again.
create table spoken_refusals (
  slot integer primary key,
  second timestamptz not null,
  sessions integer not null
) with (fillfactor = 50);
grant select, insert, update on spoken_refusals to {{service}};
grant select on spoken_refusals to {{locator}};

create function count_spoken_refusal() returns void
language sql volatile set search_path = pg_catalog, public as $$
  insert into spoken_refusals as r values (extract(epoch from statement_timestamp())::bigint % 64, date_trunc('second', statement_timestamp()), 1)
  on conflict (slot) do update set second = greatest(r.second, excluded.second),
    sessions = case when r.second < excluded.second then 1 else r.sessions + 1 end
$$;

-- As before (0012), with the spoken ones that were refused; who asks for the columns of before finds them.
drop function count_sessions();
create function count_sessions() returns table (live integer, waiting integer, refused integer, spoken integer, refused_spoken integer)
language sql stable security definer set search_path = pg_catalog, public as $$
  with ended as (
    select count(*)::integer as refused, (count(*) filter (where interaction_mode = 'VOICE'))::integer as spoken from sessions
    where end_reason = 'agent_unavailable' and started_at is null and ended_at > clock_timestamp() - interval '1 minute'
  ), at_once as (
    select coalesce(sum(sessions), 0)::integer as refused from spoken_refusals where second > clock_timestamp() - interval '1 minute'
  )
  select
    (select count(*)::integer from sessions where status <> 'ended'),
    (select count(*)::integer from sessions where status <> 'ended' and host_id is null),
    ended.refused + at_once.refused,
    (select count(*)::integer from sessions where status <> 'ended' and interaction_mode = 'VOICE'),
    ended.spoken + at_once.refused
  from ended, at_once
$$;
alter function count_sessions() owner to {{locator}};
revoke all on function count_sessions(), await_host(uuid, text, integer, integer), count_spoken_refusal() from public;
grant execute on function count_sessions(), await_host(uuid, text, integer, integer), count_spoken_refusal() to {{service}};
