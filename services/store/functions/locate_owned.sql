-- What this host still owns: it drops everything else.
create or replace function locate_owned(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, last_sequence integer)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id, tenant_id, epoch, last_sequence from sessions where host_id = p_host and status <> 'ended'
$$;

alter function locate_owned(uuid) owner to {{locator}};
revoke all on function locate_owned(uuid) from public;
grant execute on function locate_owned(uuid) to {{service}};
