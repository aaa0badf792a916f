-- The tenants that have a trunk: what the SIP bridge should know is read of each under its own policy.
create or replace function locate_trunks() returns table (tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select distinct tenant_id from trunks
$$;

alter function locate_trunks() owner to {{locator}};
revoke all on function locate_trunks() from public;
grant execute on function locate_trunks() to {{service}};
