-- What lists of conversations are filtered by. Whether a tool failed is known once a session is finished; null before, and for those
-- that were finished before there was this column.
alter table sessions add column if not exists tool_failed boolean;
-- Somebody tries the agent, in the dashboard: shown, not billed, in no analytics. Its webhook is sent only if it was asked for.
alter table sessions add column if not exists test boolean not null default false;
alter table sessions add column if not exists test_webhook boolean not null default false;
