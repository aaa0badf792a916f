-- Counts a spoken session that was refused at once, in the second's place among the 64. That is the place of the second's beginning, as its
-- name is: a cast alone rounds, so that the second half of each second stood in the place of the next one and was forgotten when that came.
create or replace function count_spoken_refusal() returns void
language sql volatile set search_path = pg_catalog, public, pg_temp as $$
  insert into spoken_refusals as r
  values (floor(extract(epoch from statement_timestamp()))::bigint % 64, date_trunc('second', statement_timestamp()), 1)
  on conflict (slot) do update set second = greatest(r.second, excluded.second),
    sessions = case when r.second < excluded.second then 1 else r.sessions + 1 end
$$;

revoke all on function count_spoken_refusal() from public;
grant execute on function count_spoken_refusal() to {{service}};
