-- What analytics reads instead of conversations: figures of conversations that are over, added up when each is finished. `grain` is what
-- `at` is cut to (UTC), and `level` says which of the five columns after it are told apart: the others are empty, so that a question is
-- answered from few rows. `subject` is the conversations themselves, or their tools, by name.
create table rollups (
  tenant_id uuid not null references tenants on delete cascade,
  subject text not null check (subject in ('conversation', 'tool')),
  grain text not null check (grain in ('hour', 'day')),
  level text not null check (level in ('all', 'agent', 'version', 'channel', 'language', 'mode', 'each')),
  at timestamptz not null,
  agent text not null default '',
  version_hash text not null default '',
  channel text not null default '',
  language text not null default '',
  mode text not null default '',
  tool text not null default '',
  -- Whole numbers by name (services/core/insight/figures.ts): what two rows say of one name is added. A bucket of a histogram is a name.
  figures jsonb not null,
  primary key (tenant_id, subject, grain, level, at, agent, version_hash, channel, language, mode, tool)
) with (fillfactor = 70);
-- Hours are forgotten, days stay.
create index rollups_hours on rollups (at) where grain = 'hour';

alter table rollups enable row level security, force row level security;
create policy tenant on rollups to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update, delete on rollups to {{service}};
grant select, delete on rollups to {{locator}};
create policy expire on rollups to {{locator}} using (true);
