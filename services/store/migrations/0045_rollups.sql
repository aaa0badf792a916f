-- What analytics reads instead of conversations: figures of conversations that are over, added up when each is finished. `grain` is what
-- `at` is cut to (UTC), and `level` names those of the five columns after it that are told apart: the others are empty. There is a row for
-- every choice of them, so that each question has its level and is answered from as few
-- rows as its answer has parts. `subject` is the conversations themselves, or their tools, by name.
create table rollups (
  tenant_id uuid not null references tenants on delete cascade,
  subject text not null check (subject in ('conversation', 'tool')),
  grain text not null check (grain in ('hour', 'day')),
  level text not null,
  at timestamptz not null,
  agent text not null default '',
  version_hash text not null default '',
  channel text not null default '',
  language text not null default '',
  mode text not null default '',
  tool text not null default '',
  -- Whole numbers by their place (services/core/insight/figure-names.ts): what two rows have in one place is added, and what is missing at
  -- the end is nothing. A bucket of a histogram has a place. In jsonb, by name, a million of them took more than a second to add up.
  -- Kept in its row as it is, without compression: whoever reads a row reads all of them.
  figures bigint[] storage plain not null,
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
