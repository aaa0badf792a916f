#!/bin/sh
# Brings a dump of infra/components/postgres-backups.ts back, as the CronJob "database-restore"; docs/operate/backups.md says when and how.
# FILE names the dump; the newest one by default. What the database holds is gone afterwards.
set -eu
database=parley
service=parley
file=${FILE:-$(ls /backups/*.dump | sort | tail -1)}
echo "Bringing back $file"
pg_restore --list "$file" > /dev/null
columns="tenant_id, session_id, agent, erased_at, erased_by, erased_rows"
list=/backups/erasures.tsv
if [ "$(psql --dbname="$database" --quiet --tuples-only --no-align --command="select to_regclass('public.erasures') is not null" 2> /dev/null)" = t ]; then
  psql --dbname="$database" --quiet --set=ON_ERROR_STOP=1 --command="copy (select $columns from erasures) to stdout" > "$list.now"
  touch "$list"
  sort -u "$list" "$list.now" > "$list.part"
  mv "$list.part" "$list"
  rm "$list.now"
fi
# Owners and grants in the dump name these roles; the job "prepare" gives them their passwords.
for role in "$service login" "${service}_locator nologin" "${service}_people login"; do
  psql --dbname=postgres --quiet --set=ON_ERROR_STOP=1 --command="do \$\$ begin create role $role; exception when duplicate_object then null; end \$\$"
done
dropdb --if-exists --force "$database"
createdb "$database"
pg_restore --exit-on-error --single-transaction --dbname="$database" "$file"
# What was erased since the dump was made: the job "prepare" erases it again.
if [ -s "$list" ]; then
  psql --dbname="$database" --quiet --set=ON_ERROR_STOP=1 << SQL
begin;
create temporary table again as select $columns from erasures limit 0;
\\copy again from '$list'
insert into erasures ($columns) select * from again where tenant_id in (select id from tenants) on conflict do nothing;
commit;
SQL
fi
echo "Brought back. Now run the job \"prepare\" again, then start what was stopped."
