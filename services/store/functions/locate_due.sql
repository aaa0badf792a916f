-- Sessions whose deadline has passed, the longest overdue first: the reaper looks at each and ends it or moves the deadline.
create or replace function locate_due(p_limit integer) returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id, tenant_id from sessions where status <> 'ended' and deadline_at <= clock_timestamp() order by deadline_at limit p_limit
$$;

alter function locate_due(integer) owner to {{locator}};
revoke all on function locate_due(integer) from public;
grant execute on function locate_due(integer) to {{service}};
