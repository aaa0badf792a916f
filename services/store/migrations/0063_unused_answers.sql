-- Answers to challenges that a provider has verified, and with which nothing was made: whoever was refused then may show the same one
-- again, which the provider would call a duplicate. By a hash, with the agent key that they were shown with.
create table unused_answers (
  tenant_id uuid not null references tenants on delete cascade,
  answer_hash bytea not null,
  expires_at timestamptz not null,
  primary key (tenant_id, answer_hash)
);
create index unused_answers_age on unused_answers (expires_at);

alter table unused_answers enable row level security, force row level security;
create policy tenant on unused_answers to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on unused_answers to {{service}};
grant select, delete on unused_answers to {{locator}};
create policy expire on unused_answers to {{locator}} using (true);
