-- Where this person is a member, and as what.
create or replace function my_tenants(p_person uuid) returns table (tenant_id uuid, slug text, name text, role text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select m.tenant_id, t.slug, t.name, m.role from people.memberships m join tenants t on t.id = m.tenant_id
  where m.person_id = p_person order by t.name, t.id
$$;

alter function my_tenants(uuid) owner to {{locator}};
revoke all on function my_tenants(uuid) from public;
grant execute on function my_tenants(uuid) to {{people}};
