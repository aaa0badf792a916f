-- Ended sessions whose retention is over, the oldest first. One that is not finished is left for three days: its webhook is still owed.
create or replace function locate_deletable(p_limit integer) returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id, tenant_id from sessions
  where delete_after <= clock_timestamp() and status = 'ended'
    and (finished_at is not null or ended_at <= clock_timestamp() - interval '3 days')
  order by delete_after limit p_limit
$$;

alter function locate_deletable(integer) owner to {{locator}};
revoke all on function locate_deletable(integer) from public;
grant execute on function locate_deletable(integer) to {{service}};
