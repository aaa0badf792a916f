-- Stores what the agent said, by the host that owns the session; null when another host has taken over or the transcript is closed. A
-- reply that is repeated under its key is stored, and its tokens are counted, once; one without words is told by the turn that it closed.
-- What the agent asks a silent person (key idle …) is no sign of life: the session would go on for as long as it asks.
create or replace function write_reply(p_reply jsonb) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare r record; seq integer; is_repeated boolean := false;
begin
  select * into r from jsonb_to_record(p_reply) as (
    tenant uuid, session text, epoch integer, turn integer, content text, interrupted boolean, closes_turn boolean, tokens integer,
    at timestamptz, mode text, key text, timing jsonb);
  if current_setting('parley.check_keys', true) = 'on' then perform keys_are_known('write_reply', p_reply, to_jsonb(r)); end if;

  perform set_config('parley.tenant', r.tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, tokens = s.tokens + r.tokens,
    last_activity_at = case when r.key like 'idle %' then s.last_activity_at else greatest(s.last_activity_at, r.at) end
  where s.id = r.session and s.epoch = r.epoch and s.finished_at is null returning s.last_sequence into seq;
  if not found then return null; end if;
  if r.content <> '' then
    insert into messages (tenant_id, session_id, sequence, role, source, content, at, turn, interrupted, mode, message_key, timing)
    values (r.tenant, r.session, seq, 'ASSISTANT', 'host', r.content, r.at, r.turn, r.interrupted, r.mode, r.key, r.timing)
    on conflict (session_id, message_key) do nothing;
    is_repeated := not found;
  end if;
  if not r.closes_turn and r.content <> '' then
    -- A successor goes on from what is stored, and not from what led to it.
    update messages m set draft = null where m.session_id = r.session and m.sequence = r.turn and m.draft is not null;
  end if;
  if r.closes_turn then
    update messages m set answered_at = r.at, draft = null
    where m.session_id = r.session and m.sequence = r.turn and m.answered_at is null;
    is_repeated := is_repeated or (r.content = '' and not found);
  end if;
  if is_repeated then
    -- Taken back rather than asked before: nobody but who repeats pays for it, and the row is locked since it was counted.
    update sessions s set last_sequence = s.last_sequence - 1, tokens = s.tokens - r.tokens where s.id = r.session;
    select coalesce(max(m.sequence), seq - 1) into seq from messages m where m.session_id = r.session and m.message_key = r.key;
  end if;
  return seq;
end $$;

revoke all on function write_reply(jsonb) from public;
grant execute on function write_reply(jsonb) to {{service}};
