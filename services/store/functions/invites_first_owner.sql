-- Whether the services' role may invite an owner of the transaction's tenant: until one has accepted. Whoever else comes is invited as the
-- role for persons, which only the API and the operator's commands log in as.
create or replace function invites_first_owner() returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select not exists (
    select from invitations
    where tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid and role = 'owner' and accepted_at is not null)
$$;

-- The release before invites the first owner as the services' role; the one after this may take the right to insert away altogether.
drop policy if exists first_owner_only on invitations;
create policy first_owner_only on invitations as restrictive for insert to {{service}} with check (role = 'owner' and invites_first_owner());

alter function invites_first_owner() owner to {{locator}};
revoke all on function invites_first_owner() from public;
grant execute on function invites_first_owner() to {{service}};
