-- Whose API key this is, by its hash; no row for an unknown or expired one.
create or replace function locate_key(p_hash bytea) returns table (tenant_id uuid, agent text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select k.tenant_id, k.agent from agent_keys k
  where k.key_hash = p_hash and (k.expires_at is null or k.expires_at > clock_timestamp())
$$;

alter function locate_key(bytea) owner to {{locator}};
revoke all on function locate_key(bytea) from public;
grant execute on function locate_key(bytea) to {{service}};
