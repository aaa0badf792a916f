-- What autoscaling looks at, over all tenants: sessions that are live, without a host, refused in the last minute for want of room, spoken,
-- and refused ones that would have been spoken.
create or replace function count_sessions() returns table (live integer, waiting integer, refused integer, spoken integer, refused_spoken integer)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with ended as (
    select count(*)::integer as refused, (count(*) filter (where interaction_mode = 'VOICE'))::integer as spoken from sessions
    where end_reason = 'agent_unavailable' and started_at is null and ended_at > clock_timestamp() - interval '1 minute'
  ), at_once as (
    select coalesce(sum(sessions), 0)::integer as refused from spoken_refusals where second > clock_timestamp() - interval '1 minute'
  )
  select
    (select count(*)::integer from sessions where status <> 'ended'),
    (select count(*)::integer from sessions where status <> 'ended' and host_id is null),
    ended.refused + at_once.refused,
    (select count(*)::integer from sessions where status <> 'ended' and interaction_mode = 'VOICE'),
    ended.spoken + at_once.refused
  from ended, at_once
$$;

alter function count_sessions() owner to {{locator}};
revoke all on function count_sessions() from public;
grant execute on function count_sessions() to {{service}};
