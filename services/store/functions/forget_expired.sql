-- Forgets idempotency keys after their 24 hours, signatures that can't be accepted any more, what visitors used before yesterday,
-- deliveries that outlived their session and are settled, and analytics by the hour after 35 days (days stay), words to search
-- by after 90 days, tickets of exports and answers to challenges that can't be used any more, and telephone calls that never had a
-- session, with their retention.
create or replace function forget_expired() returns void
language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from idempotency_keys where created_at < clock_timestamp() - interval '24 hours';
  delete from used_signatures where expires_at < clock_timestamp();
  delete from deliveries where session_id is null and event = 'conversation.finished' and status <> 'pending';
  delete from visitor_usage where day < (clock_timestamp() at time zone 'UTC')::date - 1;
  delete from rollups where grain = 'hour' and at < clock_timestamp() - interval '35 days';
  delete from session_words where at < clock_timestamp() - interval '90 days';
  delete from export_tickets where expires_at < clock_timestamp();
  delete from unused_answers where expires_at < clock_timestamp();
  delete from calls where session_id is null and ended_at is not null and delete_after < clock_timestamp();
$$;

alter function forget_expired() owner to {{locator}};
revoke all on function forget_expired() from public;
grant execute on function forget_expired() to {{service}};
