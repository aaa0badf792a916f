-- Of a live revision: scenarios, as they are now, that an agent's live version does not pass.
alter table agent_revisions add column warnings jsonb not null default '[]', add column warnings_left_out integer not null default 0;
