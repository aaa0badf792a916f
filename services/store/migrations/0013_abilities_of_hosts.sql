-- What hosts can do for spoken sessions, and what each session needs of them: a key that is set, a language that is installed.

-- In the words of services/contract/agents/speech-needs.ts; null for a host that does not tell, which may be able to do anything.
alter table hosts add column abilities text[];
-- A list of lists: one of each is needed. Null: nothing is known, or the session is written.
alter table sessions add column speech_needs jsonb;

create function can_do(p_abilities text[], p_needs jsonb) returns boolean
language sql immutable set search_path = pg_catalog, public as $$
  select p_abilities is null or jsonb_typeof(p_needs) is distinct from 'array' or not exists (
    select from jsonb_array_elements(p_needs) n where not p_abilities && array(select jsonb_array_elements_text(n.value)))
$$;

-- As voice_room(host), for sessions that need this.
create function voice_room(p_host uuid, p_needs jsonb) returns integer
language sql stable security definer set search_path = pg_catalog, public as $$
  select case when can_do(abilities, p_needs) then voice_room(id) else 0 end from hosts where id = p_host
$$;
alter function voice_room(uuid, jsonb) owner to {{locator}};

-- As before (0011); all requests of one statement need the same.
create or replace function create_sessions(
  p_tenant uuid, p_agent text, p_version text, p_identity text, p_opened_by text, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_requests json
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public as $$
#variable_conflict use_column
declare free integer; alive uuid[]; for_speech text[]; refusal text; created timestamptz := clock_timestamp();
  spoken boolean := p_warm and p_requests->0->>'mode' = 'VOICE'; needs jsonb := p_requests->0->'needs';
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
  if spoken then
    -- One after another, so that no host gets more than it has room for.
    perform pg_advisory_xact_lock(hashtextextended('spoken sessions', 0));
    for_speech := array(
      select w.room_name from (
        select room_name, host_id, row_number() over (partition by host_id order by created_at) as nth from warm_rooms where host_id = any (alive)
      ) w where w.nth <= voice_room(w.host_id, needs));
    select case when not bool_or(voice_capacity > 0 and can_do(abilities, needs)) then 'voice_unavailable'
        when not bool_or(voice_room(id, needs) > 0) then 'no_capacity' end
    into refusal from hosts where id = any (alive);
    if refusal is not null then
      return query select refusal, null::text, null::text, null::text, null::uuid, null::text from json_array_elements(p_requests);
      return;
    end if;
  end if;

  return query
  with asked as (
    select *, decode(created_by, 'hex') as visitor, row_number() over (partition by created_by order by place) as nth
    from rows from (json_to_recordset(p_requests) as (
      id text, room text, mode text, language text, voice text, prompt text, channel text, created_by text, needs jsonb
    )) with ordinality as r (id, room, mode, language, voice, prompt, channel, created_by, needs, place)
  ), admitted as (
    select *, row_number() over (order by place) as seat from asked
    where visitor is null or nth <= p_unjoined_cap - (
      select count(*) from (
        select from sessions s where s.tenant_id = p_tenant and s.created_by = visitor and s.status = 'created' limit p_unjoined_cap
      ) c)
  ), taken as (
    delete from warm_rooms where room_name = any (array(
      select w.room_name from warm_rooms w where w.host_id = any (alive) and (not spoken or w.room_name = any (for_speech))
      order by w.created_at limit (select count(*) from admitted where seat <= free) for update skip locked
    )) returning room_name, host_id, created_at
  ), warm as (
    select *, row_number() over (order by created_at) as seat from taken
  ), made as (
    insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, interaction_mode, language, voice_id,
      prompt_override, channel, opened_by, created_by, created_at, last_activity_at, deadline_at, delete_after,
      host_id, epoch, agent_ready_at, unattended_since, speech_needs)
    select a.id, p_tenant, p_agent, p_version, coalesce(w.room_name, a.room), p_identity, a.mode, a.language, a.voice,
      a.prompt, a.channel, p_opened_by, a.visitor, created, created, created + p_join_timeout_ms * interval '1 millisecond',
      created + p_retention_ms * interval '1 millisecond',
      w.host_id, case when w.host_id is null then 0 else 1 end, case when w.host_id is not null then created end,
      case when w.host_id is null then created end, a.needs
    from admitted a left join warm w using (seat) where a.seat <= free
    returning id, room_name, participant_identity, host_id, voice_id
  )
  select case when a.id is null then 'unjoined_limit' when m.id is null then 'concurrency_limit'
      when m.host_id is null then 'cold' else 'warm' end,
    m.id, m.room_name, m.participant_identity, m.host_id, m.voice_id
  from asked left join admitted a using (id) left join made m using (id) order by asked.place;
end $$;

-- As before (0011), of those that this host can speak.
create or replace function assign_warm_rooms(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, room_name text)
language sql volatile security definer set search_path = pg_catalog, public as $$
  with free as (
    select w.room_name, row_number() over () as place
    from (select * from warm_rooms where host_id = p_host order by created_at for update skip locked) w
  ), written as (
    select id, created_at from sessions
    where host_id is null and status = 'created' and sessions.epoch = 0 and opened_by <> 'room' and interaction_mode <> 'VOICE'
    order by created_at limit (select count(*) from free) for update skip locked
  ), spoken as (
    select id, created_at from sessions
    where host_id is null and status = 'created' and sessions.epoch = 0 and opened_by <> 'room' and interaction_mode = 'VOICE'
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

-- As before (0011), and spoken ones only where they can be spoken.
create or replace function claim_sessions(p_host uuid, p_fresh integer, p_total integer, p_has_warm_rooms boolean)
returns table (session_id text, tenant_id uuid, epoch integer)
language sql volatile security definer set search_path = pg_catalog, public as $$
  with host as materialized (
    select coalesce(max(voice_capacity), 0) > 0 as speaks, greatest(0, coalesce(max(voice_room(id)), 0)) as room,
      max(abilities) as abilities from hosts where id = p_host
  ), written as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode <> 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room')
    order by created_at limit p_fresh for update skip locked
  ), spoken as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode = 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room') and can_do((select abilities from host), speech_needs)
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

drop function create_session;
-- As before (0010), with what the session needs.
create function create_session(
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
      'prompt', p_prompt, 'channel', p_channel, 'created_by', encode(p_created_by, 'hex'), 'needs', p_needs)));
  -- What was refused may be asked for again under the same key.
  if made.session_id is null then
    delete from idempotency_keys k where k.tenant_id = p_tenant and k.scope_hash = p_scope;
  end if;
  return query select made.result, made.session_id, made.room_name, made.identity, made.host_id, made.voice_id;
end $$;

revoke all on all functions in schema public from public;
grant execute on function can_do to {{service}}, {{locator}};
grant execute on function voice_room(uuid, jsonb), create_session to {{service}};
