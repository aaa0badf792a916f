-- For functions/locate_erased.sql.
grant select on erasures to {{locator}};
create policy locate on erasures for select to {{locator}} using (true);
