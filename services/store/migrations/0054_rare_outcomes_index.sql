-- Conversations that few of many are like: by sessions_page they are found only after all others were looked at. Like the four indexes after it,
-- it has an entry for those few alone, so that what others cost stays as it was.
create index if not exists sessions_rare_outcome on sessions (tenant_id, outcome, created_at desc, id desc)
  where outcome in ('transferred', 'no_input', 'failed', 'unknown');
