import { type Queryable, sql } from '../sql.ts';

/** A text vector holds a megabyte; nobody says more than this in a conversation that a limit does not end. */
const mostCharacters = 200_000;

/** What was said in a session that is finished can be searched for from now on. */
export const storeWords = (q: Queryable, session: string) =>
  q.query(sql`
    insert into session_words (session_id, tenant_id, at, words)
    select s.id, s.tenant_id, s.created_at, to_tsvector('simple', left(said.text, ${mostCharacters}))
    from sessions s, (select string_agg(content, ' ' order by sequence) as text from messages where session_id = ${session}) said
    where s.id = ${session} and said.text is not null
    on conflict do nothing`);

export interface WordsFound {
  session_id: string;
  /** When it was created, as exactly as the database knows it. */
  position: string;
}

/** Finished sessions of the transaction's tenant in which all of these words were said, the newest first, from before `before`. */
export const findByWords = (
  q: Queryable,
  {
    words,
    from,
    before,
    limit,
  }: { words: string; from: string; before: { position: string; id: string }; limit: number },
) =>
  q.query<WordsFound>(sql`
    select session_id, at::text as position
    from sessions_with_words(${words}, ${from}, ${before.position}, ${before.id}, ${limit})`);
