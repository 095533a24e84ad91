// Declarations of the commands for the ledger check, migrations, keys and jobs.
import { GROUPS } from '../../../core/ids.ts';
import { catalog } from '../../jobs/catalog.ts';
import { VERIFY_EVERY_SECONDS } from '../bounds.ts';
import { command } from '../command.ts';

const ABOUT_ROTATION =
  'To rotate encryption keys: set ENCRYPTION_KEY to "new,old" and restart; run `earmark keys rotate`; run `earmark keys list`. Remove the old key when it no longer seals anything, at the earliest one day later, when earlier idempotency keys have expired.';

/** The option of the commands that may distribute the tables of a cluster. */
export const groupsOption = {
  value: 'N',
  about: `groups of a Citus cluster, ${GROUPS.min} to ${GROUPS.max}, at its first migration; at most as many workers are in use`,
  fallback: String(GROUPS.fallback),
} as const;

/** The option of the processes that need not migrate. */
export const migrateOption = {
  'no-migrate': { about: 'waits until `earmark migrate` has run, so that the role of DATABASE_URL need not own the tables' },
} as const;

export const verify = command({
  name: 'verify',
  about: 'Checks the ledger: money is conserved, entries explain balances, no balance is negative, and more.',
  detail:
    'The database keeps what was proven. The command proves the money of new transfers and compares all balances; with --full, and where nothing was proven yet, it checks every rule over everything. A service does both all the time. Use --full after a restore, a failover or an intrusion.',
  options: {
    full: { about: 'checks every rule over everything, whatever was proven before, and writes nothing' },
    watch: { about: 'repeats the check until interrupted' },
    every: {
      value: 'SECONDS',
      about: `seconds between checks with --watch, ${VERIFY_EVERY_SECONDS.min} to ${VERIFY_EVERY_SECONDS.max}`,
      fallback: String(VERIFY_EVERY_SECONDS.fallback),
    },
  },
  examples: [
    'earmark verify',
    'earmark verify --full',
    'earmark verify --full --json | jq .violations',
    'earmark verify --watch --every 10',
  ],
  exits: { 1: 'a rule is broken, or the database is not available' },
  run: async (call) => (await import('../verify.ts')).verify(call),
});

export const repairEvents = command({
  name: 'repair events',
  about:
    'Recreates events that `earmark verify` finds missing with `--full`: after a failover that lost some, or a deletion by hand.',
  detail:
    'An event that a transparency log has gets its position and id back. The event of a transfer or of a created resource that no log has is written anew at the end of the feed, in the order of the changes, with `late` in the event: webhooks deliver it, and an audit accepts it there. Other events, such as those of changed texts, cannot be recreated without a log.',
  options: { plan: { about: 'counts what is missing and changes nothing' } },
  examples: ['earmark repair events --plan', 'earmark repair events --yes'],
  asks({ options: { plan } }) {
    return plan ? undefined : 'Recreate the events that are missing? Webhooks deliver them.';
  },
  run: async (call) => (await import('../repair.ts')).repair(call),
});

export const migrate = command({
  name: 'migrate',
  about: 'Migrates the database to the schema of this version. `earmark serve` does the same when it starts.',
  detail:
    'On the coordinator of a Citus cluster it also distributes the tables. The number of groups cannot be changed later, except by a backup and a restore.',
  options: { plan: { about: 'lists the pending migrations and changes nothing' }, groups: groupsOption },
  examples: [
    'earmark migrate',
    'earmark migrate --plan',
    'DATABASE_URL=postgres://user:password@coordinator/earmark earmark migrate --groups 16',
  ],
  run: async (call) => (await import('../migrate.ts')).migrate(call),
});

const listKeys = command({
  name: 'keys list',
  about: 'Lists what each encryption key seals, and the keys that sign access tokens and transparency logs.',
  detail: ABOUT_ROTATION,
  examples: ['earmark keys list'],
  run: async (call) => (await import('../keys.ts')).list(call),
});

const rotateKeys = command({
  name: 'keys rotate',
  about: 'Reseals all sealed data with the newest encryption key, or creates a new signing key with --signing or --log.',
  detail: `${ABOUT_ROTATION}\nSigning keys rotate automatically (SIGNING_KEY_DAYS). A new key is published ten minutes before it signs. An old key verifies tokens until they have expired.\nA new key of transparency logs signs at once, and the old one beside it for a year.`,
  options: {
    signing: { about: 'creates a new key for access tokens instead' },
    log: { about: 'creates a new key for transparency logs instead' },
  },
  examples: ['ENCRYPTION_KEY=new,old earmark keys rotate', 'earmark keys rotate --signing --yes'],
  asks({ options: { signing, log } }) {
    if (signing) return 'Replace the key that signs access tokens?';
    if (log) return 'Replace the key that signs transparency logs? Auditors need the new one within a year.';
    return 'Reseal all sealed data with the newest encryption key?';
  },
  run: async (call) => (await import('../keys.ts')).rotate(call),
});

const listJobs = command({
  name: 'jobs list',
  about: 'Lists the maintenance jobs of the service: last run, its result, and when it is due next.',
  examples: ['earmark jobs list', 'earmark jobs list --json | jq .jobs'],
  run: async (call) => (await import('../jobs.ts')).list(call),
});

const runJob = command({
  name: 'jobs run',
  about: 'Runs a maintenance job now. The service also runs each job by itself.',
  detail: catalog.map(({ name, about }) => `${name} ${about}`).join('\n'),
  words: [{ name: 'JOB', about: 'the job', values: catalog.map(({ name }) => name) }],
  examples: ['earmark jobs run erase-documents'],
  run: async (call) => (await import('../jobs.ts')).run(call),
});

export const keyCommands = [listKeys, rotateKeys];
export const jobCommands = [listJobs, runJob];
