create index if not exists sessions_phone on sessions (tenant_id, created_at desc, id desc) where channel = 'phone';
