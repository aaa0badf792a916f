-- Spoken sessions: how many a host carries, and what each turn took.

-- 0: the host can neither hear nor speak.
alter table hosts add column voice_capacity integer not null default 0;

-- How many spoken sessions more a host has room for. It may be negative: a call whose host died is taken over by whoever speaks.
create function voice_room(p_host uuid) returns integer
language sql stable security definer set search_path = pg_catalog, public as $$
  select h.voice_capacity - (
    select count(*)::integer from sessions s where s.host_id = p_host and s.status <> 'ended' and s.interaction_mode = 'VOICE'
  ) from hosts h where h.id = p_host
$$;
alter function voice_room(uuid) owner to {{locator}};

-- As before (0010); all requests of one statement are for the same mode, and spoken sessions go to hosts that have room for them.
create or replace function create_sessions(
  p_tenant uuid, p_agent text, p_version text, p_identity text, p_opened_by text, p_join_timeout_ms integer, p_retention_ms bigint,
  p_unjoined_cap integer, p_concurrent_cap integer, p_tenant_cap integer, p_warm boolean, p_requests json
) returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public as $$
#variable_conflict use_column
declare free integer; alive uuid[]; for_speech text[]; refusal text; created timestamptz := clock_timestamp();
  spoken boolean := p_warm and p_requests->0->>'mode' = 'VOICE';
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
      ) w where w.nth <= voice_room(w.host_id));
    select case when bool_and(voice_capacity = 0) then 'voice_unavailable' when not bool_or(voice_room(id) > 0) then 'no_capacity' end
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
      select w.room_name from warm_rooms w where w.host_id = any (alive) and (not spoken or w.room_name = any (for_speech))
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

-- As before (0002); of the spoken sessions that wait, as many as this host has room for.
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

-- As before (0002); new spoken sessions where there is room for them, orphaned ones after a second wherever they can be spoken at
-- all: a person in mid-call hears silence.
create or replace function claim_sessions(p_host uuid, p_fresh integer, p_total integer, p_has_warm_rooms boolean)
returns table (session_id text, tenant_id uuid, epoch integer)
language sql volatile security definer set search_path = pg_catalog, public as $$
  with host as materialized (
    select coalesce(max(voice_capacity), 0) > 0 as speaks, greatest(0, coalesce(max(voice_room(id)), 0)) as room from hosts where id = p_host
  ), written as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode <> 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room')
    order by created_at limit p_fresh for update skip locked
  ), spoken as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0 and interaction_mode = 'VOICE'
      and (not p_has_warm_rooms or opened_by = 'room')
    order by created_at limit (select least(p_fresh, room) from host) for update skip locked
  ), orphaned as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch > 0
      and (interaction_mode <> 'VOICE' or (select room > 0 from host)
        or ((select speaks from host) and unattended_since < clock_timestamp() - interval '1 second'))
    order by created_at limit p_total for update skip locked
  ), chosen as (
    select id from (table written union all table spoken union all table orphaned) c limit p_total
  )
  update sessions s set host_id = p_host, host_acked = true, epoch = s.epoch + 1
  from chosen where s.id = chosen.id
  returning s.id, s.tenant_id, s.epoch
$$;

-- Milliseconds that a reply took, by what they were spent on; null where nobody measured.
alter table messages add column timing jsonb;

drop function add_reply(uuid, text, integer, integer, text, boolean, boolean, integer, timestamptz, text, text);
-- As before (0003), and how long it took.
create function add_reply(
  p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_content text, p_interrupted boolean, p_closes_turn boolean,
  p_tokens integer, p_at timestamptz, p_mode text, p_key text, p_timing jsonb default null
) returns integer
language plpgsql volatile set search_path = pg_catalog, public as $$
declare seq integer;
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, tokens = s.tokens + p_tokens, last_activity_at = greatest(s.last_activity_at, p_at)
  where s.id = p_session and s.epoch = p_epoch and s.finished_at is null returning s.last_sequence into seq;
  if not found then return null; end if;
  if p_content <> '' then
    insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn, interrupted, mode, message_key, timing)
    values (p_tenant, p_session, seq, 'ASSISTANT', 'host', p_content, p_at, p_turn, p_interrupted, p_mode, p_key, p_timing)
    on conflict (session_id, message_key) do nothing;
  end if;
  if p_closes_turn then
    update messages m set answered_at = p_at where m.session_id = p_session and m.sequence = p_turn and m.answered_at is null;
  end if;
  return seq;
end $$;

revoke all on all functions in schema public from public;
grant execute on function voice_room, add_reply to {{service}};
