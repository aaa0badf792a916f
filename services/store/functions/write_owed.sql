-- Stores what a host owed when it went: what it had accepted, said and learned while the database was away, in its order. All of a
-- session at once, so that a successor sees no text without the reply that it had. Everything may be told again: each entry has a name.
-- It is late evidence: nothing goes into a session that has ended, nothing takes the place of what a successor has stored, and no tokens
-- are counted. Returns how many entries are new; null when the session takes none any more.
create or replace function write_owed(p_owed jsonb) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare o record; entry jsonb; e record; it sessions; seq integer; asked integer; entered integer := 0; texts integer := 0; latest timestamptz;
begin
  select * into o from jsonb_to_record(p_owed) as (tenant uuid, session text, entries jsonb);
  if current_setting('parley.check_keys', true) = 'on' then perform keys_are_known('write_owed', p_owed, to_jsonb(o)); end if;

  perform set_config('parley.tenant', o.tenant::text, true);
  select s.* into it from sessions s where s.id = o.session and s.status <> 'ended' and s.finished_at is null for update;
  if not found then return null; end if;
  seq := it.last_sequence;
  for entry in select value from jsonb_array_elements(o.entries) with ordinality order by ordinality loop
    select * into e from jsonb_to_record(entry) as (
      kind text, key text, content text, at timestamptz, mode text, epoch integer, turn integer, answers text, interrupted boolean,
      closes_turn boolean, timing jsonb, call uuid, status text, result text);
    if current_setting('parley.check_keys', true) = 'on' then perform keys_are_known('write_owed', entry, to_jsonb(e)); end if;

    if e.kind = 'result' then
      -- Whoever was the first to say what came of the call is right.
      update tool_calls c set status = e.status, result = e.result, finished_at = clock_timestamp()
      where c.id = e.call and c.session_id = o.session and c.status = 'started';
      if found then entered := entered + 1; end if;
      continue;
    end if;

    if e.kind = 'text' then
      insert into messages (tenant_id, session_id, sequence, role, source, content, at, message_key, turn, mode)
      values (o.tenant, o.session, seq + 1, 'USER', 'host', e.content, e.at, e.key, seq + 1, e.mode)
      on conflict (session_id, message_key) do nothing;
      if found then
        seq := seq + 1; entered := entered + 1; texts := texts + 1; latest := greatest(latest, e.at);
      end if;
      continue;
    end if;

    -- A reply, to a text by its place or by its name; or a line, which answers nothing (turn 0).
    asked := coalesce(e.turn, (select m.sequence from messages m where m.session_id = o.session and m.message_key = e.answers));
    continue when asked is null;
    -- After a takeover a text that is answered, or in whose answer something was said since, is the successor's.
    continue when asked > 0 and it.epoch <> e.epoch and exists (
      select from messages m where m.session_id = o.session and ((m.sequence = asked and m.answered_at is not null)
        or (m.turn = asked and m.role = 'ASSISTANT' and m.at > e.at and m.message_key is distinct from e.key)));
    if e.content <> '' then
      insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn, interrupted, mode, message_key, timing)
      values (o.tenant, o.session, seq + 1, 'ASSISTANT', 'host', e.content, e.at, asked, e.interrupted, e.mode, e.key, e.timing)
      on conflict (session_id, message_key) do nothing;
      if found then seq := seq + 1; entered := entered + 1; end if;
    end if;
    if e.closes_turn then
      update messages m set answered_at = e.at, draft = null
      where m.session_id = o.session and m.sequence = asked and m.answered_at is null;
    end if;
  end loop;
  update sessions s set last_sequence = seq, turns = s.turns + texts,
    last_activity_at = greatest(s.last_activity_at, case when texts > 0 then least(latest, clock_timestamp()) end)
  where s.id = o.session;
  return entered;
end $$;

revoke all on function write_owed(jsonb) from public;
grant execute on function write_owed(jsonb) to {{service}};
