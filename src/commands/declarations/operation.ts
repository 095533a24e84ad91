// The commands with which an operator looks after the ledger, the schema, keys and housekeeping.
import { catalog } from '../../jobs/catalog.ts';
import { command } from '../command.ts';

export const EVERY_SECONDS = { fallback: 60, min: 1, max: 604_800 };

const ABOUT_ROTATION =
  'To rotate: set ENCRYPTION_KEY to "new,old" and restart, rotate, list, then take the old key away once nothing is under it (and a day later, when idempotency keys of before are over).';

export const verify = command({
  name: 'verify',
  about: 'Proves the books: money conserved, entries explain balances, nothing below zero, and more.',
  options: {
    watch: { about: 'proves them again and again' },
    every: { value: 'SECONDS', about: 'how often with --watch', fallback: String(EVERY_SECONDS.fallback) },
  },
  examples: ['earmark verify', 'earmark verify --json | jq .violations', 'earmark verify --watch --every 10'],
  exits: { 1: 'a rule is broken, or the database is not there' },
  run: async (call) => (await import('../verify.ts')).verify(call),
});

export const migrate = command({
  name: 'migrate',
  about: 'Brings the database to the schema of this version; `serve` does the same at its start.',
  options: { plan: { about: 'shows what it would apply, and changes nothing' } },
  examples: ['earmark migrate', 'earmark migrate --plan', 'DATABASE_URL=postgres://user:password@host/earmark earmark migrate'],
  run: async (call) => (await import('../migrate.ts')).migrate(call),
});

const listKeys = command({
  name: 'keys list',
  about: 'Shows what each encryption key seals, and which keys sign and verify access tokens.',
  detail: ABOUT_ROTATION,
  examples: ['earmark keys list'],
  run: async (call) => (await import('../keys.ts')).list(call),
});

const rotateKeys = command({
  name: 'keys rotate',
  about: 'Brings everything that is sealed under the newest encryption key, or with --signing makes a new signing key.',
  detail: `${ABOUT_ROTATION}\nSigning keys rotate by themselves (SIGNING_KEY_DAYS). A new one is published ten minutes before it signs, and an old one verifies until its tokens have expired.`,
  options: { signing: { about: 'a new key for access tokens, now' } },
  examples: ['ENCRYPTION_KEY=new,old earmark keys rotate', 'earmark keys rotate --signing'],
  run: async (call) => (await import('../keys.ts')).rotate(call),
});

const listJobs = command({
  name: 'jobs list',
  about: 'Shows the housekeeping of a service: when each job ran last, what it did, and when it is due.',
  examples: ['earmark jobs list', 'earmark jobs list --json | jq .jobs'],
  run: async (call) => (await import('../jobs.ts')).list(call),
});

const runJob = command({
  name: 'jobs run',
  about: 'Runs now what a service runs by itself.',
  detail: catalog.map(({ name, about }) => `${name} ${about}`).join('\n'),
  words: [{ name: 'JOB', about: 'which of them', values: catalog.map(({ name }) => name) }],
  examples: ['earmark jobs run erase-documents'],
  run: async (call) => (await import('../jobs.ts')).run(call),
});

export const keyCommands = [listKeys, rotateKeys];
export const jobCommands = [listJobs, runJob];
