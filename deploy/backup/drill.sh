#!/bin/sh
# The restore drill: restores the newest backup with every archived change into an empty folder, checks the ledger, and records the success.
# Run it by a timer as postgres, on a machine that can read the repository: deploy/backup/earmark-drill.timer. It stops at the first failure.
set -eu
FOLDER=${DRILL_FOLDER:-/var/lib/postgresql/drill}
PORT=${DRILL_PORT:-5433}
BIN=${DRILL_BIN:-/usr/lib/postgresql/15/bin}
STANZA=${DRILL_STANZA:-earmark}
OWNER_URL=${DRILL_URL:?is the address of the restored database, such as postgres://earmark:password@127.0.0.1:5433/earmark}

test ! -e "$FOLDER" || { echo "$FOLDER exists: a drill is running, or has failed" >&2; exit 1; }
BEGIN=$(date +%s)
# To the end of the archive. DRILL_TARGET is a moment instead, such as 2026-11-21 12:00:00+00.
if test -n "${DRILL_TARGET:-}"; then
  pgbackrest --stanza="$STANZA" --pg1-path="$FOLDER" --type=time --target="$DRILL_TARGET" --target-action=promote restore
else
  pgbackrest --stanza="$STANZA" --pg1-path="$FOLDER" --target-action=promote --type=immediate restore
fi
# A drill archives nothing.
"$BIN/pg_ctl" --pgdata="$FOLDER" --wait --timeout=3600 --log="$FOLDER/drill.log" \
  --options="-c port=$PORT -c archive_mode=off -c listen_addresses=127.0.0.1 -c unix_socket_directories=$FOLDER" start
trap '"$BIN/pg_ctl" --pgdata="$FOLDER" --mode=immediate stop' EXIT
until test "$("$BIN/psql" --host="$FOLDER" --port="$PORT" --tuples-only --no-align --command='select pg_is_in_recovery()' postgres)" = f; do sleep 1; done
DATABASE_URL=$OWNER_URL earmark verify
trap - EXIT
"$BIN/pg_ctl" --pgdata="$FOLDER" --mode=immediate stop
rm -rf "$FOLDER"
# In the database of production, for the alert EarmarkDrillOld.
earmark backup record --drill
echo "restored and checked in $(($(date +%s) - BEGIN)) s"
