-- Agents whose deliveries have been due for a minute, the longest waiting first: the receiver is in trouble, or the job was lost.
create or replace function locate_overdue_deliveries(p_limit integer) returns table (tenant_id uuid, agent text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select tenant_id, agent from deliveries where status = 'pending' and next_attempt_at < clock_timestamp() - interval '1 minute'
  group by tenant_id, agent order by min(next_attempt_at) limit p_limit
$$;

alter function locate_overdue_deliveries(integer) owner to {{locator}};
revoke all on function locate_overdue_deliveries(integer) from public;
grant execute on function locate_overdue_deliveries(integer) to {{service}};
