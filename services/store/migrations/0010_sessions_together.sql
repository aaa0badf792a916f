-- Sessions of an agent are created several at a time: what is asked for while one statement is under way goes together in the next.

-- A session's version belongs to its tenant already: looking the tenant up once more only made creations lock its row.
alter table sessions drop constraint sessions_tenant_id_fkey;
-- A host has some hundred live sessions at most, among which it finds those it has not acknowledged; and without this index
-- acknowledging one touches no index at all.
drop index sessions_unacked;
-- What may be deleted has ended: until then the index need not know.
drop index sessions_deletable;
create index sessions_deletable on sessions (delete_after) where status = 'ended' and delete_after is not null;

-- How many sessions more an agent (the whole tenant: null) may have; null without a cap. Far from the cap nobody waits for anybody;
-- near it, creations queue up until the commit and count again, so the cap is exact.
create function free_below_cap(p_tenant uuid, p_agent text, p_cap integer) returns integer
language plpgsql volatile as $$
declare live integer;
begin
  if p_cap is null then return null; end if;
  for look in 1..2 loop
    select count(*) into live from (
      select from sessions s where s.tenant_id = p_tenant and (p_agent is null or s.agent = p_agent) and s.status <> 'ended' limit p_cap
    ) c;
    exit when look = 2 or live < p_cap - 256;
    perform pg_advisory_xact_lock(hashtextextended(p_tenant::text || coalesce(p_agent, ''), 0));
  end loop;
  return p_cap - live;
end $$;

-- One statement for sessions of one agent; the answers come in the order of the requests. Warm rooms are given away oldest first.
-- A host whose advisory lock can be had is dead, or has not taken it again yet after a restart of PostgreSQL: its rooms are left
-- alone, until somebody proves it dead.
create function create_sessions(
  p_tenant uuid, p_agent text, p_version text, p_identity text, p_opened_by text, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_requests json
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public as $$
#variable_conflict use_column
declare free integer; alive uuid[]; created timestamptz := clock_timestamp();
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  free := least(free_below_cap(p_tenant, p_agent, p_concurrent_cap), free_below_cap(p_tenant, null, p_tenant_cap));
  -- Who asks is counted while nobody else asks for the same visitor; in one order, so that no two statements wait for each other.
  perform pg_advisory_xact_lock(hashtextextended(visitor, 0)) from (
    select distinct r->>'created_by' as visitor from json_array_elements(p_requests) r order by 1
  ) v where visitor is not null;
  if p_warm then
    alive := array(select id from hosts where not draining and not pg_try_advisory_xact_lock_shared(lock_key));
  end if;

  return query
  with asked as (
    select *, decode(created_by, 'hex') as visitor, row_number() over (partition by created_by order by place) as nth
    from rows from (json_to_recordset(p_requests) as (
      id text, room text, mode text, language text, voice text, prompt text, channel text, created_by text
    )) with ordinality as r (id, room, mode, language, voice, prompt, channel, created_by, place)
  ), admitted as (
    select *, row_number() over (order by place) as seat from asked
    where visitor is null or nth <= p_unjoined_cap - (
      select count(*) from (
        select from sessions s where s.tenant_id = p_tenant and s.created_by = visitor and s.status = 'created' limit p_unjoined_cap
      ) c)
  ), taken as (
    delete from warm_rooms where room_name = any (array(
      select w.room_name from warm_rooms w where w.host_id = any (alive)
      order by w.created_at limit (select count(*) from admitted where seat <= free) for update skip locked
    )) returning room_name, host_id, created_at
  ), warm as (
    select *, row_number() over (order by created_at) as seat from taken
  ), made as (
    insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, interaction_mode, language, voice_id,
      prompt_override, channel, opened_by, created_by, created_at, last_activity_at, deadline_at, delete_after,
      host_id, epoch, agent_ready_at, unattended_since)
    select a.id, p_tenant, p_agent, p_version, coalesce(w.room_name, a.room), p_identity, a.mode, a.language, a.voice,
      a.prompt, a.channel, p_opened_by, a.visitor, created, created, created + p_join_timeout_ms * interval '1 millisecond',
      created + p_retention_ms * interval '1 millisecond',
      w.host_id, case when w.host_id is null then 0 else 1 end, case when w.host_id is not null then created end,
      case when w.host_id is null then created end
    from admitted a left join warm w using (seat) where a.seat <= free
    returning id, room_name, participant_identity, host_id, voice_id
  )
  select case when a.id is null then 'unjoined_limit' when m.id is null then 'concurrency_limit'
      when m.host_id is null then 'cold' else 'warm' end,
    m.id, m.room_name, m.participant_identity, m.host_id, m.voice_id
  from asked left join admitted a using (id) left join made m using (id) order by asked.place;
end $$;

-- A session whose request is known by an Idempotency-Key, or by a signature that is accepted once: it is created by itself.
create or replace function create_session(
  p_tenant uuid, p_agent text, p_version text, p_id text, p_room text, p_identity text, p_mode text, p_language text, p_voice text,
  p_prompt text, p_channel text, p_opened_by text, p_created_by bytea, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_scope bytea, p_body bytea, p_signature bytea
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
             when earlier.agent_ready_at is null then 'idempotency_key_in_progress'
             else 'replayed' end,
        earlier.id, earlier.room_name, earlier.participant_identity, earlier.host_id, earlier.voice_id;
      return;
    end if;
  end if;

  select * into made from create_sessions(
    p_tenant, p_agent, p_version, p_identity, p_opened_by, p_join_timeout_ms, p_retention_ms,
    p_unjoined_cap, p_concurrent_cap, p_tenant_cap, p_warm,
    json_build_array(json_build_object('id', p_id, 'room', p_room, 'mode', p_mode, 'language', p_language, 'voice', p_voice,
      'prompt', p_prompt, 'channel', p_channel, 'created_by', encode(p_created_by, 'hex'))));
  -- What was refused may be asked for again under the same key.
  if made.session_id is null then
    delete from idempotency_keys k where k.tenant_id = p_tenant and k.scope_hash = p_scope;
  end if;
  return query select made.result, made.session_id, made.room_name, made.identity, made.host_id, made.voice_id;
end $$;

drop function is_at_cap, take_warm_room;

revoke all on all functions in schema public from public;
grant execute on function free_below_cap, create_sessions to {{service}};
