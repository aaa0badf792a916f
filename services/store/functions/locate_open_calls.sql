-- Telephone calls that are not over, the oldest first: each is compared with its room.
create or replace function locate_open_calls(p_limit integer) returns table (call_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id, tenant_id from calls where ended_at is null order by asked_at limit p_limit
$$;

alter function locate_open_calls(integer) owner to {{locator}};
revoke all on function locate_open_calls(integer) from public;
grant execute on function locate_open_calls(integer) to {{service}};
