-- Until when a session that found no agent may wait; null when it may not, because as many of the tenant's do, or its agent has come or the
-- session is over meanwhile. One after another, so that no more wait than may.
create or replace function await_host(p_tenant uuid, p_session text, p_seconds integer, p_most integer) returns timestamptz
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare due timestamptz := clock_timestamp() + p_seconds * interval '1 second';
begin
  perform set_config('parley.tenant', p_tenant::text, true);
  perform pg_advisory_xact_lock(hashtextextended('waiting for a host ' || p_tenant, 0));
  update sessions s set agent_due_at = due, deadline_at = least(s.deadline_at, due)
  where s.id = p_session and s.status = 'created' and s.agent_ready_at is null and p_most > (
    select count(*) from sessions w where w.tenant_id = p_tenant and w.host_id is null and w.status <> 'ended' and w.agent_due_at is not null
  )
  returning s.agent_due_at into due;
  return due;
end $$;

revoke all on function await_host(uuid, text, integer, integer) from public;
grant execute on function await_host(uuid, text, integer, integer) to {{service}};
