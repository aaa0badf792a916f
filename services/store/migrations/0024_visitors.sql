-- Whose budget a session counts against: a hash of the key and the address of a page's visitor (kind visitor), or of the key alone for
-- unsigned requests that come from no page (unsigned). Null: nobody's, as for signed requests and calls.
-- Sessions that are older have no visitor, so that nothing is to be looked at while the table is locked.
alter table sessions add column visitor bytea, add column visitor_kind text,
  add constraint sessions_visitor_kind_check check (visitor_kind in ('visitor', 'unsigned')) not valid;

-- What each of them used on a day (UTC), for two days. Minutes are those of sessions that ended on it.
create table visitor_usage (
  tenant_id uuid not null references tenants on delete cascade,
  visitor bytea not null,
  day date not null,
  billed_seconds bigint not null default 0,
  tool_calls integer not null default 0,
  primary key (tenant_id, visitor, day)
);
create index visitor_usage_age on visitor_usage (day);
alter table visitor_usage enable row level security, force row level security;
create policy tenant on visitor_usage to {{service}}
  using (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid)
  with check (tenant_id = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select, insert, update on visitor_usage to {{service}};
-- Across tenants it is read for caps that are reached, and forgotten.
grant select, delete on visitor_usage to {{locator}};
create policy locate on visitor_usage to {{locator}} using (true);

alter table agent_usage add column tool_calls bigint not null default 0;
