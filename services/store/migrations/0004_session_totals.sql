-- What autoscaling looks at, over all tenants: numbers only.

create index sessions_refused on sessions (ended_at) where end_reason = 'agent_unavailable' and started_at is null;

create function count_sessions() returns table (live integer, waiting integer, refused integer)
language sql stable security definer set search_path = pg_catalog, public as $$
  select
    (select count(*)::integer from sessions where status <> 'ended'),
    (select count(*)::integer from sessions where status <> 'ended' and host_id is null),
    (select count(*)::integer from sessions
      where end_reason = 'agent_unavailable' and started_at is null and ended_at > clock_timestamp() - interval '1 minute')
$$;
alter function count_sessions() owner to {{locator}};
revoke all on function count_sessions() from public;
grant execute on function count_sessions() to {{service}};
