create index if not exists sessions_test on sessions (tenant_id, created_at desc, id desc) where test;
