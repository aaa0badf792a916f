-- The tenant with this slug; null when there is none.
create or replace function locate_tenant(p_slug text) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select id from tenants where slug = p_slug
$$;

alter function locate_tenant(text) owner to {{locator}};
revoke all on function locate_tenant(text) from public;
grant execute on function locate_tenant(text) to {{service}};
