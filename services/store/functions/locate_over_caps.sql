-- Running sessions whose agent or tenant has used up a cap, those first that are not told yet (is_new). Minutes of a month are what the
-- ledger has and what the running ones have taken since their persons joined; tokens of a day are in the ledger as they are used.
create or replace function locate_over_caps(p_limit integer) returns table (session_id text, tenant_id uuid, is_new boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with running as materialized (
    select s.id, s.tenant_id, s.agent, s.limit_reached_at, extract(epoch from clock_timestamp() - s.started_at) as seconds
    from sessions s where s.status = 'running'
  ), today as (
    select (clock_timestamp() at time zone 'UTC')::date as day
  ), used as (
    select r.tenant_id, r.agent, sum(r.seconds) as seconds, 0::bigint as tokens from running r group by 1, 2
    union all
    select u.tenant_id, u.agent, sum(u.billed_seconds), coalesce(sum(u.tokens) filter (where u.day = today.day), 0)
    from agent_usage u, today
    where u.day >= date_trunc('month', today.day)::date and u.tenant_id in (select r.tenant_id from running r) group by 1, 2
  ), by_agent as (
    select u.tenant_id, u.agent, sum(u.seconds) as seconds, sum(u.tokens) as tokens from used u group by 1, 2
  ), over_caps as (
    select b.tenant_id, b.agent from by_agent b join agents a using (tenant_id, agent)
    where b.seconds >= (a.settings #>> '{caps,minutesPerMonth}')::numeric * 60 or b.tokens >= (a.settings #>> '{caps,tokensPerDay}')::numeric
    union all
    select b.tenant_id, null from by_agent b join tenants t on t.id = b.tenant_id group by b.tenant_id, t.caps
    having sum(b.seconds) >= (t.caps->>'minutesPerMonth')::numeric * 60 or sum(b.tokens) >= (t.caps->>'tokensPerDay')::numeric
  )
  select r.id, r.tenant_id, r.limit_reached_at is null from running r
  where exists (select from over_caps o where o.tenant_id = r.tenant_id and (o.agent is null or o.agent = r.agent))
  order by r.limit_reached_at nulls first limit p_limit
$$;

alter function locate_over_caps(integer) owner to {{locator}};
revoke all on function locate_over_caps(integer) from public;
grant execute on function locate_over_caps(integer) to {{service}};
