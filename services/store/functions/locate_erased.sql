-- What is there again although it was erased, of all tenants: a backup that was made before has been brought back.
create or replace function locate_erased() returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select e.session_id, e.tenant_id from erasures e join sessions s on s.id = e.session_id and s.tenant_id = e.tenant_id
  union
  select e.session_id, e.tenant_id from erasures e
    join deliveries d on d.tenant_id = e.tenant_id and d.session_id is null and d.event = 'conversation.finished'
      and d.body::jsonb #>> '{data,sessionId}' = e.session_id
$$;

alter function locate_erased() owner to {{locator}};
revoke all on function locate_erased() from public;
grant execute on function locate_erased() to {{service}};
