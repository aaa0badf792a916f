-- Who is asked to become a member of a tenant. A token is found by its hash, and sealed for the operator who hands it on, as keys of
-- agents are. Open is what was not accepted and has not expired.
create table invitations (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references tenants on delete cascade,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  token_hash bytea not null unique,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz
);
create unique index invitations_unaccepted on invitations (tenant_id, email) where accepted_at is null;

alter table invitations enable row level security, force row level security;
create policy tenant on invitations to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on invitations to {{service}};
