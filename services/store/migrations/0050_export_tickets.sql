-- Exports that somebody may fetch once, within a minute: what a page can put into an address, which is no place for a token.
create table export_tickets (
  hash bytea primary key,
  tenant_id uuid not null references tenants on delete cascade,
  -- By whose sign-in, so that it ends with their rights.
  person_id uuid not null,
  sign_in_id uuid not null,
  format text not null check (format in ('csv', 'jsonl')),
  filters jsonb not null,
  expires_at timestamptz not null
);
create index export_tickets_age on export_tickets (expires_at);

alter table export_tickets enable row level security, force row level security;
create policy tenant on export_tickets to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on export_tickets to {{service}};
grant select, delete on export_tickets to {{locator}};
create policy expire on export_tickets to {{locator}} using (true);
