create index if not exists sessions_tool_failed on sessions (tenant_id, created_at desc, id desc) where tool_failed;
