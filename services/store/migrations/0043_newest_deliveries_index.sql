-- A page of all deliveries of a tenant, the newest first.
create index if not exists deliveries_newest on deliveries (tenant_id, created_at desc, id desc);
