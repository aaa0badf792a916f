-- The tenant of this session; null when there is no such session.
create or replace function locate_session(p_id text) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select tenant_id from sessions where id = p_id
$$;

alter function locate_session(text) owner to {{locator}};
revoke all on function locate_session(text) from public;
grant execute on function locate_session(text) to {{service}};
