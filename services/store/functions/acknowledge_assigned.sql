-- Sessions that came to this host with a warm room and that it has not started yet. Each is told once.
create or replace function acknowledge_assigned(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, room_name text)
language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  update sessions s set host_acked = true
  where s.host_id = p_host and s.status <> 'ended' and not s.host_acked
  returning s.id, s.tenant_id, s.epoch, s.room_name
$$;

alter function acknowledge_assigned(uuid) owner to {{locator}};
revoke all on function acknowledge_assigned(uuid) from public;
grant execute on function acknowledge_assigned(uuid) to {{service}};
