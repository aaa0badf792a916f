-- Which invitation a token is of, by its hash; no row for one that was accepted, withdrawn or has expired.
create or replace function locate_invitation(p_hash bytea) returns table (tenant_id uuid, invitation_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select i.tenant_id, i.id from invitations i
  where i.token_hash = p_hash and i.accepted_at is null and i.expires_at > clock_timestamp()
$$;

alter function locate_invitation(bytea) owner to {{locator}};
revoke all on function locate_invitation(bytea) from public;
grant execute on function locate_invitation(bytea) to {{people}};
