#!/bin/sh
# Brings a dump of infra/components/postgres-backups.ts back, as the CronJob "database-restore"; docs/operate/backups.md says when and how.
# FILE names the dump; the newest one by default. What the database holds is gone afterwards.
set -eu
database=parley
service=parley
file=${FILE:-$(ls /backups/*.dump | sort | tail -1)}
echo "Bringing back $file"
pg_restore --list "$file" > /dev/null
# Owners and grants in the dump name these roles; the job "prepare" gives them their passwords.
for role in "$service login" "${service}_locator nologin" "${service}_people login"; do
  psql --dbname=postgres --quiet --set=ON_ERROR_STOP=1 --command="do \$\$ begin create role $role; exception when duplicate_object then null; end \$\$"
done
dropdb --if-exists --force "$database"
createdb "$database"
pg_restore --exit-on-error --single-transaction --dbname="$database" "$file"
echo "Brought back. Now run the job \"prepare\" again, then start what was stopped."
