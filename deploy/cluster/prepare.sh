#!/bin/sh
# Prepares the database of a cluster: the extension on every server, the password with which the servers call each other, and the
# workers. It can run again, and adds workers that are new.
#   COORDINATOR=host:5432 WORKERS='host:5432 host:5432' PASSWORD_FILE=/run/secrets/database-password prepare.sh
set -eu
: "${COORDINATOR:?}" "${WORKERS:?}" "${PASSWORD_FILE:?}"
PGPASSWORD="$(cat "$PASSWORD_FILE")"
export PGPASSWORD PASSWORD_FILE PGUSER="${PGUSER:-earmark}" PGDATABASE="${PGDATABASE:-earmark}"

run() {
  psql --no-psqlrc --quiet --output=/dev/null --set=ON_ERROR_STOP=1 --host="${1%:*}" --port="${1##*:}" --set=server="${2%:*}" --set=port="${2##*:}"
}

for server in $COORDINATOR $WORKERS; do
  run "$server" "$server" <<'SQL'
set client_min_messages = warning;
create extension if not exists citus;
\set authinfo 'password=' `cat "$PASSWORD_FILE"`
insert into pg_dist_authinfo (nodeid, rolename, authinfo) values (0, current_user, :'authinfo')
on conflict (rolename, nodeid) do update set authinfo = excluded.authinfo;
SQL
done

run "$COORDINATOR" "$COORDINATOR" <<'SQL'
select citus_set_coordinator_host(:'server', :port);
SQL
for worker in $WORKERS; do
  run "$COORDINATOR" "$worker" <<'SQL'
select citus_add_node(:'server', :port);
SQL
done
