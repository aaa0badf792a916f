-- Milliseconds since this server was started or promoted. A promoted standby was started long before: what tells is its timeline, whose
-- first sight is written down; the first one ever is as old as the server.
create or replace function settled_ms() returns double precision
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
declare current text; began timestamptz;
begin
  if pg_is_in_recovery() then raise exception 'this server is a standby' using errcode = 'read_only_sql_transaction'; end if;
  current := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  select since into began from timelines where timeline = current;
  if not found then
    insert into timelines
    select current, case when exists (select from timelines) then clock_timestamp() else pg_postmaster_start_time() end
    on conflict do nothing;
    select since into began from timelines where timeline = current;
  end if;
  return extract(epoch from clock_timestamp() - greatest(began, pg_postmaster_start_time())) * 1000;
end $$;

alter function settled_ms() owner to {{locator}};
revoke all on function settled_ms() from public;
grant execute on function settled_ms() to {{service}};
