-- Whether there may be work for a host: sessions that came to it with a warm room and that it has not started, and sessions that have no
-- host. What a host asks four times a second; nothing is locked, and nothing written.
create or replace function host_work(p_host uuid) returns table (assigned boolean, unclaimed boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from sessions where host_id = p_host and status <> 'ended' and not host_acked),
    exists (select from sessions where host_id is null and status <> 'ended')
$$;

alter function host_work(uuid) owner to {{locator}};
revoke all on function host_work(uuid) from public;
grant execute on function host_work(uuid) to {{service}};
