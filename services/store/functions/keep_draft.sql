-- Keeps what the host that owns the session has begun to say in a turn, for whoever takes over; with null as draft nothing is kept any
-- more. Does nothing when another host has the session, or the turn is closed.
create or replace function keep_draft(p_tenant uuid, p_session text, p_epoch integer, p_turn integer, p_draft jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  update messages m set draft = p_draft from sessions s
  where s.id = p_session and s.epoch = p_epoch and s.status <> 'ended'
    and m.session_id = s.id and m.sequence = p_turn and m.answered_at is null;
end $$;

revoke all on function keep_draft(uuid, text, integer, integer, jsonb) from public;
grant execute on function keep_draft(uuid, text, integer, integer, jsonb) to {{service}};
