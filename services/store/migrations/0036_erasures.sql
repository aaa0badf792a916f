-- Conversations that somebody asked to be erased: which, when, on whose behalf, and how many rows of each table went. Nothing of what was
-- said, or by whom.
create table erasures (
  tenant_id uuid not null references tenants on delete cascade,
  session_id text not null,
  agent text not null,
  erased_at timestamptz not null default clock_timestamp(),
  -- In the words of the events' source: operator, dashboard.
  erased_by text not null,
  erased_rows jsonb not null,
  primary key (tenant_id, session_id)
);
alter table erasures enable row level security, force row level security;
create policy tenant on erasures to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on erasures to {{service}};
