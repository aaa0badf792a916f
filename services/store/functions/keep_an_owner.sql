-- Refuses to remove or demote the last owner of a tenant that stays. Owners of a tenant are taken away one at a time, so that two cannot
-- each count on the other.
create or replace function keep_an_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('owners of ' || old.tenant_id, 0));
  if exists (select from tenants where id = old.tenant_id)
    and not exists (select from people.memberships where tenant_id = old.tenant_id and role = 'owner') then
    raise exception 'the last owner of a tenant stays' using errcode = 'check_violation', constraint = 'keep_an_owner';
  end if;
  return null;
end
$$;

create or replace trigger keep_an_owner_updated after update on people.memberships
  for each row when (old.role = 'owner' and (new.role <> 'owner' or new.tenant_id <> old.tenant_id)) execute function keep_an_owner();
create or replace trigger keep_an_owner_deleted after delete on people.memberships
  for each row when (old.role = 'owner') execute function keep_an_owner();

alter function keep_an_owner() owner to {{locator}};
revoke all on function keep_an_owner() from public;
