-- Conversations of the transaction's tenant in which all of these words were said, the newest first, from before the given place; the last
-- word may be a beginning. Words that are none (only marks) find nothing.
create or replace function sessions_with_words(p_words text, p_from timestamptz, p_before timestamptz, p_before_id text, p_limit integer)
returns table (session_id text, at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare query tsquery := plainto_tsquery('simple', p_words);
begin
  if numnode(query) = 0 then return; end if;
  -- Planned anew each time: a word that everybody says is looked for in the order of time, a rare one by its index.
  return query execute $sql$
    select w.session_id, w.at from session_words w
    where w.tenant_id = $1 and w.words @@ $2 and w.at >= $3 and (w.at, w.session_id) < ($4, $5)
    order by w.at desc, w.session_id desc limit $6 $sql$
  using nullif(current_setting('parley.tenant', true), '')::uuid, to_tsquery('simple', query::text || ':*'), p_from, p_before, p_before_id, p_limit;
end $$;

alter function sessions_with_words(text, timestamptz, timestamptz, text, integer) owner to {{locator}};
revoke all on function sessions_with_words(text, timestamptz, timestamptz, text, integer) from public;
grant execute on function sessions_with_words(text, timestamptz, timestamptz, text, integer) to {{service}};
