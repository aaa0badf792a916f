-- Proof of life for everybody we believe to be in the rooms of these sessions.
create or replace function mark_sessions_seen(p_sessions text[], p_at timestamptz) returns void
language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  update presence set last_seen_at = greatest(last_seen_at, p_at) where session_id = any (p_sessions) and left_at is null
$$;

alter function mark_sessions_seen(text[], timestamptz) owner to {{locator}};
revoke all on function mark_sessions_seen(text[], timestamptz) from public;
grant execute on function mark_sessions_seen(text[], timestamptz) to {{service}};
