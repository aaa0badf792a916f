-- Opens sessions of one agent on the same terms, in one statement; the answers come in the order of the sessions asked for.
-- - Warm rooms are given away oldest first. A host whose advisory lock can be had is dead, or has not taken it again yet after a restart
--   of PostgreSQL: its rooms are left alone, until somebody proves it dead.
-- - Spoken sessions go to hosts that can speak them and have room for them.
-- - Nobody gets more than the caps of the visitor (visitor_room), the agent and the tenant allow, and their shares of the fleet (fleet_share).
-- Its counts use an index at any time: a plan that was made while there were no sessions would read them all (8 at once: 3.5 ms of CPU, so 2.6).
create or replace function open_sessions(p_request jsonb)
returns table (result text, session_id text, room_name text, identity text, host_id uuid, voice_id text)
language plpgsql volatile set search_path = pg_catalog, public, pg_temp set enable_seqscan = off as $$
#variable_conflict use_column
declare terms record; share record; free integer; alive uuid[]; places text[]; refusal text; spoken boolean; created timestamptz := clock_timestamp();
  checked boolean := current_setting('parley.check_keys', true) = 'on';
begin
  select * into terms from jsonb_to_record(p_request) as (
    tenant uuid, agent text, version text, identity text, mode text, needs jsonb, opened_by text, join_timeout_ms integer,
    retention_ms bigint, unjoined_cap integer, concurrent_cap integer, tenant_cap integer, warm boolean, test boolean,
    test_webhook boolean, sessions jsonb);
  if checked then perform keys_are_known('open_sessions', p_request, to_jsonb(terms)); end if;
  spoken := terms.warm and terms.mode = 'VOICE';

  perform set_config('parley.tenant', terms.tenant::text, true);
  select * into share from fleet_share(terms.tenant, terms.agent, false);
  free := least(
    free_below_cap(terms.tenant, terms.agent, least(terms.concurrent_cap, share.of_agent)),
    free_below_cap(terms.tenant, null, least(terms.tenant_cap, share.of_tenant)));
  -- Who asks is counted while nobody else asks for the same visitor; in one order, so that no two statements wait for each other.
  perform pg_advisory_xact_lock(hashtextextended(who, 0)) from (
    select distinct s->>part as who from jsonb_array_elements(terms.sessions) s, unnest(array['created_by', 'visitor']) part order by 1
  ) v where who is not null;
  if terms.warm then
    alive := array(select id from hosts where not draining and not pg_try_advisory_xact_lock_shared(lock_key));
  end if;
  if spoken then
    places := take_spoken_places(alive, terms.needs, jsonb_array_length(terms.sessions));
    if cardinality(places) = 0 then
      select case when not bool_or(voice_capacity > 0 and can_do(abilities, terms.needs)) then 'voice_unavailable'
          when not bool_or(voice_room(id, terms.needs) > 0) then 'no_capacity' end
      into refusal from hosts where id = any (alive);
    end if;
    if refusal is not null then
      return query select refusal, null::text, null::text, null::text, null::uuid, null::text from jsonb_array_elements(terms.sessions);
      return;
    end if;
    free := least(free, free_of_voice_share(terms.tenant, terms.agent));
  end if;

  return query
  with asked as (
    select s.*, decode(s.created_by, 'hex') as asker, decode(s.visitor, 'hex') as budget, place,
      row_number() over (partition by s.created_by order by place) as nth, row_number() over (partition by s.visitor order by place) as nth_of_visitor
    from jsonb_array_elements(terms.sessions) with ordinality as given (session, place), jsonb_to_record(given.session) as s (
      id text, room text, language text, voice text, prompt text, channel text, created_by text, visitor text, visitor_kind text)
    where not checked or keys_are_known('open_sessions', given.session, to_jsonb(s))
  ), visitors as materialized (
    select budget, visitor_room(terms.tenant, terms.agent, visitor_kind, budget, terms.mode = 'VOICE') as room
    from (select distinct budget, visitor_kind from asked where budget is not null) v
  ), within_budget as (
    select asked.* from asked left join visitors using (budget) where visitors.room is null or nth_of_visitor <= visitors.room
  ), admitted as (
    select *, row_number() over (order by place) as seat from within_budget
    where asker is null or nth <= terms.unjoined_cap - (
      select count(*) from (
        select from sessions s where s.tenant_id = terms.tenant and s.created_by = asker and s.status = 'created'
        limit terms.unjoined_cap
      ) c)
  ), taken as (
    delete from warm_rooms where room_name = any (array(
      select w.room_name from warm_rooms w where w.host_id = any (alive) and (not spoken or w.room_name = any (places))
      order by w.created_at limit (select count(*) from admitted where seat <= free) for update skip locked
    )) returning room_name, host_id, created_at
  ), warm as (
    select *, row_number() over (order by created_at) as seat from taken
  ), made as (
    insert into sessions (id, tenant_id, agent, version_hash, room_name, participant_identity, interaction_mode, language, voice_id,
      prompt_override, channel, opened_by, created_by, visitor, visitor_kind, created_at, last_activity_at, deadline_at, delete_after,
      host_id, epoch, agent_ready_at, unattended_since, speech_needs, test, test_webhook)
    select a.id, terms.tenant, terms.agent, terms.version, coalesce(w.room_name, a.room), terms.identity, terms.mode, a.language, a.voice,
      a.prompt, a.channel, terms.opened_by, a.asker, a.budget, a.visitor_kind, created, created, created + terms.join_timeout_ms * interval '1 millisecond',
      created + terms.retention_ms * interval '1 millisecond',
      w.host_id, case when w.host_id is null then 0 else 1 end, case when w.host_id is not null then created end,
      case when w.host_id is null then created end, terms.needs,
      coalesce(terms.test, false), coalesce(terms.test_webhook, false)
    from admitted a left join warm w using (seat) where a.seat <= free
    returning id, room_name, participant_identity, host_id, voice_id
  )
  select case when b.id is null then 'visitor_limit' when a.id is null then 'unjoined_limit' when m.id is null then 'concurrency_limit'
      when m.host_id is null then 'cold' else 'warm' end,
    m.id, m.room_name, m.participant_identity, m.host_id, m.voice_id
  from asked left join within_budget b using (id) left join admitted a using (id) left join made m using (id) order by asked.place;
end $$;

revoke all on function open_sessions(jsonb) from public;
grant execute on function open_sessions(jsonb) to {{service}};
