-- Proof of life for everybody we believe to be in the rooms of these sessions. Who is locked just now is proved by the next look: nobody
-- waits for one, and none of two who prove the same waits for the other.
create or replace function mark_sessions_seen(p_sessions text[], p_at timestamptz) returns void
language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  with there as (
    select session_id, participant_sid from presence where session_id = any (p_sessions) and left_at is null for update skip locked
  )
  update presence p set last_seen_at = greatest(p.last_seen_at, p_at)
  from there t where p.session_id = t.session_id and p.participant_sid = t.participant_sid
$$;

alter function mark_sessions_seen(text[], timestamptz) owner to {{locator}};
revoke all on function mark_sessions_seen(text[], timestamptz) from public;
grant execute on function mark_sessions_seen(text[], timestamptz) to {{service}};
