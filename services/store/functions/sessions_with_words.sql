-- Conversations of the transaction's tenant in which all of these words were said, the newest first, from before the given place; the last
-- word may be a beginning. Words that are none (only marks) find nothing.
create or replace function sessions_with_words(p_words text, p_from timestamptz, p_before timestamptz, p_before_id text, p_limit integer)
returns table (session_id text, at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  query tsquery := plainto_tsquery('simple', p_words);
  asked tsquery;
  tenant uuid := nullif(current_setting('parley.tenant', true), '')::uuid;
  found integer;
  edge timestamptz;
  edge_id text;
begin
  if numnode(query) = 0 then return; end if;
  asked := to_tsquery('simple', query::text || ':*');
  -- The newest 10 000 first, in the order of time: a word that many say fills the page from them. One that does not is rare, and the rest is
  -- looked for by the index on words. PostgreSQL can't tell beforehand: of the beginning of a word it believes that every two hundredth has it.
  select w.at, w.session_id into edge, edge_id from session_words w
  where w.tenant_id = tenant and w.at >= p_from and (w.at, w.session_id) < (p_before, p_before_id)
  order by w.at desc, w.session_id desc offset 9999 limit 1;
  return query
    select w.session_id, w.at from (
      select n.session_id, n.at, n.words from session_words n
      where n.tenant_id = tenant and n.at >= p_from and (n.at, n.session_id) < (p_before, p_before_id)
      order by n.at desc, n.session_id desc limit 10000) w
    where w.words @@ asked
    order by w.at desc, w.session_id desc limit p_limit;
  get diagnostics found = row_count;
  if edge is null or found >= p_limit then return; end if;
  return query
    with rare as materialized (select w.session_id, w.at, w.tenant_id from session_words w where w.words @@ asked)
    select r.session_id, r.at from rare r
    where r.tenant_id = tenant and r.at >= p_from and (r.at, r.session_id) < (edge, edge_id)
    order by r.at desc, r.session_id desc limit p_limit - found;
end $$;

alter function sessions_with_words(text, timestamptz, timestamptz, text, integer) owner to {{locator}};
revoke all on function sessions_with_words(text, timestamptz, timestamptz, text, integer) from public;
grant execute on function sessions_with_words(text, timestamptz, timestamptz, text, integer) to {{service}};
