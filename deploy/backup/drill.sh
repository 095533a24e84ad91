#!/bin/sh
# The restore drill: restores the newest backup and all archived changes into an empty folder, checks the ledger, and records the success.
# It runs as postgres on a machine that reads the repository, and stops at the first failure: docs/operations/backup.md, "Restore drill".
set -eu
# Of production, where the success is recorded for the alert EarmarkDrillOld.
: "${DATABASE_URL:?is missing: the address of the production database}"
FOLDER=${DRILL_FOLDER:-/var/lib/postgresql/drill}
BIN=${DRILL_BIN:-/usr/lib/postgresql/15/bin}
STANZA=${DRILL_STANZA:-earmark}
DATABASE=${DRILL_DATABASE:-earmark}
# The owner of the tables, or a superuser.
ROLE=${DRILL_ROLE:-postgres}
# The newest restored change is at most this old. A running service writes every minute.
LAG_MAX_SECONDS=${DRILL_LAG_MAX_SECONDS:-900}

test ! -e "$FOLDER" || { echo "$FOLDER exists: a drill runs, or failed" >&2; exit 1; }
BEGIN=$(date +%s)
mkdir -m 700 "$FOLDER" "$FOLDER/data" "$FOLDER/socket"
# DRILL_TARGET is a moment, such as "2026-11-21 12:00:00+00". By default everything is restored.
if test -n "${DRILL_TARGET:-}"; then
  pgbackrest --stanza="$STANZA" --pg1-path="$FOLDER/data" --archive-mode=off --type=time --target="$DRILL_TARGET" --target-action=promote restore
else
  pgbackrest --stanza="$STANZA" --pg1-path="$FOLDER/data" --archive-mode=off restore
fi
# Only this user reaches the socket. Without hot standby, the settings of production need not be known, and the server takes connections
# when all changes are restored.
echo 'local all all trust' >"$FOLDER/hba.conf"
cat >"$FOLDER/server.conf" <<SETTINGS
data_directory = '$FOLDER/data'
hba_file = '$FOLDER/hba.conf'
unix_socket_directories = '$FOLDER/socket'
listen_addresses = ''
hot_standby = off
SETTINGS
"$BIN/pg_ctl" --pgdata="$FOLDER/data" --wait --timeout=86400 --log="$FOLDER/server.log" \
  --options="-c config_file=$FOLDER/server.conf" start
trap '"$BIN/pg_ctl" --pgdata="$FOLDER/data" --mode=immediate stop' EXIT
until "$BIN/pg_isready" --quiet --host="$FOLDER/socket"; do
  "$BIN/pg_ctl" --pgdata="$FOLDER/data" status >/dev/null || { tail "$FOLDER/server.log" >&2; exit 1; }
  sleep 1
done
ask() { "$BIN/psql" --no-psqlrc --host="$FOLDER/socket" --username="$ROLE" --dbname="$DATABASE" --tuples-only --no-align --command="$1"; }
LAST=$(ask 'select pg_last_xact_replay_timestamp()')
echo "restored to $LAST"
if test -z "${DRILL_TARGET:-}"; then
  LAG=$(ask "select extract(epoch from to_timestamp($BEGIN) - '$LAST')::int")
  test "$LAG" -le "$LAG_MAX_SECONDS" || { echo "the newest change is $LAG s older than the drill: the archive lacks changes" >&2; exit 1; }
fi
DATABASE_URL="postgres://$ROLE@/$DATABASE?host=$FOLDER/socket" earmark verify --full
trap - EXIT
"$BIN/pg_ctl" --pgdata="$FOLDER/data" --mode=immediate stop
rm -rf "$FOLDER"
earmark backup record --drill
echo "restored and checked in $(($(date +%s) - BEGIN)) s"
