-- Stores what the person wrote or said. Accepted from any host, whatever its epoch: it is a fact. Heard twice (a handover), it is stored
-- once. No row comes back when the transcript is closed.
create or replace function add_person_text(
  p_tenant uuid, p_session text, p_key text, p_content text, p_at timestamptz, p_mode text
) returns table (sequence integer, is_new boolean)
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
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

revoke all on function add_person_text(uuid, text, text, text, timestamptz, text) from public;
grant execute on function add_person_text(uuid, text, text, text, timestamptz, text) to {{service}};
