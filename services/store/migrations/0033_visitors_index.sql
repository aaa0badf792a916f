-- Live sessions of a visitor.
create index if not exists sessions_visitor on sessions (tenant_id, visitor) where status <> 'ended' and visitor is not null;
