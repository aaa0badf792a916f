-- Words that were said in conversations of the last 90 days, once they are finished: for the search of people who may read them.
create table session_words (
  session_id text primary key references sessions on delete cascade,
  tenant_id uuid not null references tenants on delete cascade,
  -- When the session was created, as in its list.
  at timestamptz not null,
  -- Lower case and as they were said: conversations are in many languages.
  words tsvector not null
);
create index session_words_found on session_words using gin (words);
create index session_words_page on session_words (tenant_id, at desc, session_id desc);
create index session_words_age on session_words (at);

alter table session_words enable row level security, force row level security;
create policy tenant on session_words to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on session_words to {{service}};
-- Through a policy that asks for a tenant no index on words is used: a search that could tell by its errors or its time what it passed over
-- must not run first. sessions_with_words searches by that index, for the tenant of the transaction only.
grant select, delete on session_words to {{locator}};
create policy locate on session_words to {{locator}} using (true);
