-- What autoscaling looks at, over all tenants, now with those that are spoken: a host carries fewer of them. Who asks for the
-- three columns of before finds them.

drop function count_sessions();
create function count_sessions() returns table (live integer, waiting integer, refused integer, spoken integer)
language sql stable security definer set search_path = pg_catalog, public as $$
  select
    (select count(*)::integer from sessions where status <> 'ended'),
    (select count(*)::integer from sessions where status <> 'ended' and host_id is null),
    (select count(*)::integer from sessions
      where end_reason = 'agent_unavailable' and started_at is null and ended_at > clock_timestamp() - interval '1 minute'),
    (select count(*)::integer from sessions where status <> 'ended' and interaction_mode = 'VOICE')
$$;
alter function count_sessions() owner to {{locator}};
revoke all on function count_sessions() from public;
grant execute on function count_sessions() to {{service}};
