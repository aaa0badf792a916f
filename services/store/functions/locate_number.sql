-- The tenant that a telephone number belongs to; null for one that nobody has.
create or replace function locate_number(p_number text) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select tenant_id from numbers where number = p_number
$$;

alter function locate_number(text) owner to {{locator}};
revoke all on function locate_number(text) from public;
grant execute on function locate_number(text) to {{service}};
