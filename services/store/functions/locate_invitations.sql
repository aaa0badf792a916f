-- The open invitations of an address, whichever tenants' they are.
create or replace function locate_invitations(p_email text) returns table (tenant_id uuid, invitation_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select i.tenant_id, i.id from invitations i
  where i.email = p_email and i.accepted_at is null and i.expires_at > clock_timestamp() order by i.created_at
$$;

alter function locate_invitations(text) owner to {{locator}};
revoke all on function locate_invitations(text) from public;
grant execute on function locate_invitations(text) to {{people}};
