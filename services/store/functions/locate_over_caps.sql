-- Running sessions whose visitor, agent or tenant has used up a cap, those first that are not told yet (is_new). Minutes are what the
-- ledgers have, of the day or the month, and what the running ones have taken since their persons joined; tokens of a day are in the ledger as
-- they are used.
create or replace function locate_over_caps(p_limit integer) returns table (session_id text, tenant_id uuid, is_new boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with running as materialized (
    select s.id, s.tenant_id, s.agent, s.visitor, s.visitor_kind, s.limit_reached_at,
      extract(epoch from clock_timestamp() - s.started_at) as seconds
    from sessions s where s.status = 'running'
  ), today as (
    select (clock_timestamp() at time zone 'UTC')::date as day
  ), used as (
    select r.tenant_id, r.agent, sum(r.seconds) as seconds_today, sum(r.seconds) as seconds, 0::bigint as tokens from running r group by 1, 2
    union all
    select u.tenant_id, u.agent, coalesce(sum(u.billed_seconds) filter (where u.day = today.day), 0), sum(u.billed_seconds),
      coalesce(sum(u.tokens) filter (where u.day = today.day), 0)
    from agent_usage u, today
    where u.day >= date_trunc('month', today.day)::date and u.tenant_id in (select r.tenant_id from running r) group by 1, 2
  ), by_agent as (
    select u.tenant_id, u.agent, sum(u.seconds_today) as seconds_today, sum(u.seconds) as seconds, sum(u.tokens) as tokens
    from used u group by 1, 2
  ), over_caps as (
    select b.tenant_id, b.agent, null::bytea as visitor from by_agent b join agents a using (tenant_id, agent)
    where b.seconds_today >= (a.settings #>> '{caps,minutesPerDay}')::numeric * 60
      or b.seconds >= (a.settings #>> '{caps,minutesPerMonth}')::numeric * 60 or b.tokens >= (a.settings #>> '{caps,tokensPerDay}')::numeric
    union all
    select b.tenant_id, null, null from by_agent b join tenants t on t.id = b.tenant_id group by b.tenant_id, t.caps
    having sum(b.seconds) >= (t.caps->>'minutesPerMonth')::numeric * 60 or sum(b.tokens) >= (t.caps->>'tokensPerDay')::numeric
    union all
    select v.tenant_id, v.agent, v.visitor from (
      select r.tenant_id, r.agent, r.visitor, r.visitor_kind, sum(r.seconds) as seconds
      from running r where r.visitor is not null group by 1, 2, 3, 4
    ) v join agents a using (tenant_id, agent) left join visitor_usage u
      on u.tenant_id = v.tenant_id and u.visitor = v.visitor and u.day = (select day from today)
    where v.seconds + coalesce(u.billed_seconds, 0) >= (a.settings #>> array['caps', v.visitor_kind, 'minutesPerDay'])::numeric * 60
  )
  select r.id, r.tenant_id, r.limit_reached_at is null from running r
  where exists (
    select from over_caps o where o.tenant_id = r.tenant_id and (o.agent is null or o.agent = r.agent)
      and (o.visitor is null or o.visitor = r.visitor))
  order by r.limit_reached_at nulls first limit p_limit
$$;

alter function locate_over_caps(integer) owner to {{locator}};
revoke all on function locate_over_caps(integer) from public;
grant execute on function locate_over_caps(integer) to {{service}};
