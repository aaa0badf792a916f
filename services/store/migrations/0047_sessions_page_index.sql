-- A page of conversations, whatever it is filtered by, without reading those that are not on it. sessions_history, which tells less in the
-- same order, goes: whoever read by it reads by this one.
create index if not exists sessions_page on sessions (tenant_id, created_at desc, id desc)
  include (agent, channel, interaction_mode, status, outcome, sentiment, end_reason, tool_failed, test);
drop index sessions_history;
