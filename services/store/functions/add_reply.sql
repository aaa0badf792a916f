-- Stores what the agent said, by the host that owns the session; null when another host has taken over or the transcript is closed. A reply
-- that is repeated under its key is stored once. What the agent asks a silent person (key idle …) is no sign of life: the session would go
-- on for as long as it asks.
create or replace function add_reply(
  p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_content text, p_interrupted boolean, p_closes_turn boolean,
  p_tokens integer, p_at timestamptz, p_mode text, p_key text, p_timing jsonb default null
) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare seq integer;
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update sessions s set last_sequence = s.last_sequence + 1, tokens = s.tokens + p_tokens,
    last_activity_at = case when p_key like 'idle %' then s.last_activity_at else greatest(s.last_activity_at, p_at) end
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

revoke all on function add_reply(uuid, text, integer, integer, text, boolean, boolean, integer, timestamptz, text, text, jsonb) from public;
grant execute on function add_reply(uuid, text, integer, integer, text, boolean, boolean, integer, timestamptz, text, text, jsonb) to {{service}};
