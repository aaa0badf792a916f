-- Requests of people that made something, by their Idempotency-Key, for 24 hours: whoever repeats one gets the same answer. The row commits
-- with what was made.
create table account_requests (
  tenant_id uuid not null references tenants on delete cascade,
  scope_hash bytea not null,
  body_hash bytea not null,
  -- Sealed with the master keys: it may hold a secret that is shown once. Null only within the transaction.
  answer text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, scope_hash)
);
create index account_requests_age on account_requests (tenant_id, created_at);

alter table account_requests enable row level security, force row level security;
create policy tenant on account_requests to {{service}}, {{people}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on account_requests to {{service}}, {{people}};
