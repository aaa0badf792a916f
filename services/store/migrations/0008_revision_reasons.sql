-- What a dashboard shows of a revision: who wrote it, and each reason with its place.
alter table agent_revisions
  add column author text,
  add column subject text,
  add column reasons jsonb not null default '[]',
  add column reasons_left_out integer not null default 0,
  -- The commit status at the Git host; null where none is posted.
  add column host_status text check (host_status in ('pending', 'posted', 'failed')),
  add column host_attempts integer not null default 0,
  add column host_error text;

alter table agent_revisions no force row level security;
update agent_revisions r set reasons = (
  select jsonb_agg(jsonb_build_object('file', coalesce(m[1], '.'), 'line', coalesce(m[2], '1')::integer,
    'column', coalesce(m[3], '1')::integer, 'message', coalesce(m[4], l.line)) order by l.place)
  from regexp_split_to_table(r.reason, '\n') with ordinality l (line, place),
    lateral (select regexp_match(l.line, '^(.+?):(\d+):(\d+) (.*)$')) p (m)
) where reason is not null;
alter table agent_revisions force row level security;

alter table agent_revisions drop column reason;

-- A newer revision of the same commit takes the place of an older one at the host.
create index agent_revisions_commit on agent_revisions (tenant_id, commit, id desc) where commit is not null;
