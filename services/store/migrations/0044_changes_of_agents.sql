-- Where a tenant's agents come from, in the words of the worker that keeps them, and what it may write there.
create table agent_sources (
  tenant_id uuid primary key references tenants on delete cascade,
  -- As in agent_revisions.
  source text not null,
  -- The commit at its head when it was looked at last; null for a folder.
  commit text,
  -- file: it is a folder of this machine. proposal: branches of its own. direct: the branch itself, too.
  writing text not null check (writing in ('file', 'proposal', 'direct', 'read_only')),
  -- What to do to make it writable, or to have more of it; null where there is nothing.
  how text,
  seen_at timestamptz not null default clock_timestamp()
);

-- The file of each agent as it stands at the head of that source, whether it was made live or not.
create table agent_files (
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  -- Git's id of its content.
  file_id text not null,
  -- Null where the file can't be read.
  prompt text,
  -- {"url": …}, an address, {"env": …} or null. Null where the file can't be read.
  webhook jsonb,
  primary key (tenant_id, agent)
);

-- What people ask to have changed in an agent's file, which the worker does, and what came of it.
create table agent_changes (
  id uuid primary key,
  tenant_id uuid not null references tenants on delete cascade,
  agent text not null,
  person_id uuid not null,
  -- As the commit names them.
  author text not null,
  kind text not null check (kind in ('prompt', 'webhook')),
  -- {"prompt": …} or {"url": …}
  wanted jsonb not null,
  message text not null,
  -- Of the file that the person had before them.
  edited_file_id text not null,
  -- Whether it is to be committed on the branch itself.
  is_direct boolean not null,
  state text not null default 'pending' check (state in ('pending', 'written', 'refused')),
  -- How often the worker has begun with it.
  attempts integer not null default 0,
  -- Why it was refused: {"status": …, "code": …, "message": …, "details": …}
  problem jsonb,
  -- What was written: null where a folder has no commits, or the file said it already.
  branch text,
  commit text,
  -- Of the file as it was written.
  file_id text,
  -- The branch itself took no changes: it became a proposal.
  fell_back boolean not null default false,
  -- What became of the file where it is at the head of the source, in the words of agent_revisions; null before it was written.
  activation text check (activation in ('pending', 'live', 'refused')),
  reasons jsonb not null default '[]',
  created_at timestamptz not null default clock_timestamp(),
  settled_at timestamptz
);
create index agent_changes_newest on agent_changes (tenant_id, created_at desc, id desc);
create index agent_changes_open on agent_changes (tenant_id, agent, file_id) where state = 'written' and activation <> 'live';

do $$
declare t text;
begin
  foreach t in array array['agent_sources', 'agent_files', 'agent_changes']
  loop
    execute format('alter table %I enable row level security, force row level security', t);
    execute format($policy$create policy tenant on %I to {{service}}
      using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
      with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)$policy$, t);
  end loop;
end $$;
grant select, insert, update, delete on agent_sources, agent_files, agent_changes to {{service}};
