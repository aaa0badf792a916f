-- Functions that look across tenants. Each returns ids only; the caller then names the tenant and reads under its policy.

create function locate_tenant(p_slug text) returns uuid
language sql stable security definer set search_path = pg_catalog, public as $$
  select id from tenants where slug = p_slug
$$;

create function locate_key(p_hash bytea) returns table (tenant_id uuid, agent text)
language sql stable security definer set search_path = pg_catalog, public as $$
  select k.tenant_id, k.agent from agent_keys k
  where k.key_hash = p_hash and (k.expires_at is null or k.expires_at > clock_timestamp())
$$;

create function locate_room(p_room text) returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public as $$
  select id, tenant_id from sessions where room_name = p_room
$$;

create function locate_session(p_id text) returns uuid
language sql stable security definer set search_path = pg_catalog, public as $$
  select tenant_id from sessions where id = p_id
$$;

-- Sessions whose deadline has passed: the reaper looks at each and ends it or moves the deadline.
create function locate_due(p_limit integer) returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public as $$
  select id, tenant_id from sessions where status <> 'ended' and deadline_at <= clock_timestamp() order by deadline_at limit p_limit
$$;

-- Rooms that somebody may be in, with the number of persons we believe to be present: what the reconciler compares.
create function locate_live_rooms() returns table (session_id text, tenant_id uuid, room_name text, status text, persons integer)
language sql stable security definer set search_path = pg_catalog, public as $$
  select s.id, s.tenant_id, s.room_name, s.status,
    (select count(*)::integer from presence p where p.session_id = s.id and p.role = 'person' and p.left_at is null)
  from sessions s where s.status <> 'ended'
$$;

-- Which of these rooms belong to nobody: neither a live session nor a warm room.
create function locate_stray_rooms(p_rooms text[]) returns setof text
language sql stable security definer set search_path = pg_catalog, public as $$
  select r from unnest(p_rooms) r
  where not exists (select 1 from sessions s where s.room_name = r and s.status <> 'ended')
    and not exists (select 1 from warm_rooms w where w.room_name = r)
$$;

create function locate_deletable(p_limit integer) returns table (session_id text, tenant_id uuid)
language sql stable security definer set search_path = pg_catalog, public as $$
  select id, tenant_id from sessions where delete_after <= clock_timestamp() and status = 'ended' order by delete_after limit p_limit
$$;

create function forget_expired() returns void
language sql volatile security definer set search_path = pg_catalog, public as $$
  delete from idempotency_keys where created_at < clock_timestamp() - interval '24 hours';
  delete from used_signatures where expires_at < clock_timestamp();
$$;

-- Sessions without a host become this host's. A new epoch makes every earlier host's writes stale. Fresh ones are left to the warm
-- rooms of hosts that have some, unless they are about a room that exists already.
create function claim_sessions(p_host uuid, p_fresh integer, p_total integer, p_has_warm_rooms boolean)
returns table (session_id text, tenant_id uuid, epoch integer)
language sql volatile security definer set search_path = pg_catalog, public as $$
  with fresh as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch = 0
      and (not p_has_warm_rooms or opened_by = 'room')
    order by created_at limit p_fresh for update skip locked
  ), orphaned as (
    select id from sessions where host_id is null and status <> 'ended' and sessions.epoch > 0
    order by created_at limit p_total for update skip locked
  ), chosen as (
    select id from (select id from fresh union all select id from orphaned) c limit p_total
  )
  update sessions s set host_id = p_host, host_acked = true, epoch = s.epoch + 1
  from chosen where s.id = chosen.id
  returning s.id, s.tenant_id, s.epoch
$$;

-- Sessions that found no warm room when they were created, and whose callers wait for one: each gets one of this host's, the oldest
-- first. Nobody has been told of the room they were created with. A session that its caller gave up costs no join.
create function assign_warm_rooms(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, room_name text)
language sql volatile security definer set search_path = pg_catalog, public as $$
  with free as (
    select w.room_name, row_number() over () as place
    from (select * from warm_rooms where host_id = p_host order by created_at for update skip locked) w
  ), waiting as (
    select s.id, row_number() over () as place
    from (
      select id from sessions where host_id is null and status = 'created' and sessions.epoch = 0 and opened_by <> 'room'
      order by created_at limit (select count(*) from free) for update skip locked
    ) s
  ), pairs as (
    select waiting.id, free.room_name from waiting join free using (place)
  ), taken as (
    delete from warm_rooms w using pairs where w.room_name = pairs.room_name
  )
  update sessions s set room_name = pairs.room_name, host_id = p_host, host_acked = true, epoch = 1,
    agent_ready_at = clock_timestamp(), unattended_since = null
  from pairs where s.id = pairs.id
  returning s.id, s.tenant_id, s.epoch, s.room_name
$$;

-- Sessions that came to this host with a warm room and that it has not started yet.
create function acknowledge_assigned(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, room_name text)
language sql volatile security definer set search_path = pg_catalog, public as $$
  update sessions s set host_acked = true
  where s.host_id = p_host and s.status <> 'ended' and not s.host_acked
  returning s.id, s.tenant_id, s.epoch, s.room_name
$$;

-- What this host still owns: it drops everything else.
create function locate_owned(p_host uuid) returns table (session_id text, tenant_id uuid, epoch integer, last_sequence integer)
language sql stable security definer set search_path = pg_catalog, public as $$
  select id, tenant_id, epoch, last_sequence from sessions where host_id = p_host and status <> 'ended'
$$;

-- A host that was proven dead, or that gives everything away: its sessions wait for a new host, its warm rooms are forgotten.
create function release_host(p_host uuid) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, public as $$
declare released integer;
begin
  delete from warm_rooms where host_id = p_host;
  update sessions set host_id = null, host_acked = false, unattended_since = coalesce(unattended_since, clock_timestamp()),
    deadline_at = least(deadline_at, clock_timestamp() + interval '60 seconds')
  where host_id = p_host and status <> 'ended';
  get diagnostics released = row_count;
  delete from hosts where id = p_host;
  return released;
end $$;

do $$
declare f regprocedure;
begin
  for f in select p.oid::regprocedure from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'public' and p.prosecdef
  loop
    execute format('alter function %s owner to {{locator}}', f);
    execute format('revoke all on function %s from public', f);
    execute format('grant execute on function %s to {{service}}', f);
  end loop;
end $$;
