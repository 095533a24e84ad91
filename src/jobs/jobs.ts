// Every job of housekeeping, in one list.
import { eraseDocuments } from '../documents/erase.ts';
import { pruneTraces } from '../events/trace.ts';
import { pruneKeys } from '../http/idempotency.ts';
import { pruneRevokedTokens } from '../oauth/directory.ts';
import { rotateSigningKeys } from '../oauth/signing-key.ts';
import { prune } from '../webhooks/prune.ts';
import type { Job } from './job.ts';

const HOUR_SECONDS = 3600;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const jobs: Job[] = [
  {
    name: 'prune-idempotency-keys',
    about: 'forgets idempotency keys older than IDEMPOTENCY_TTL_HOURS',
    everySeconds: HOUR_SECONDS,
    async run({ config, database, clock }, signal) {
      const before = new Date(clock.now().getTime() - config.idempotencyTtlHours * HOUR_MS);
      return { deleted: await pruneKeys(database.sql, { before, signal }) };
    },
  },
  {
    name: 'prune-events',
    about: 'deletes events and webhooks with their attempts older than EVENT_RETENTION_DAYS',
    everySeconds: HOUR_SECONDS,
    async run({ config, database, clock }, signal) {
      const before = new Date(clock.now().getTime() - config.eventRetentionDays * DAY_MS);
      return prune(database.sql, { before, signal });
    },
  },
  {
    name: 'prune-traces',
    about: 'forgets where events of a day ago stood in traces',
    everySeconds: HOUR_SECONDS,
    // Of the database's time, which wrote it.
    run: async ({ database }, signal) => ({ deleted: await pruneTraces(database.sql, { olderThanMs: DAY_MS, signal }) }),
  },
  {
    name: 'prune-revoked-tokens',
    about: 'forgets revocations of tokens that have expired',
    everySeconds: HOUR_SECONDS,
    run: async ({ database }) => ({ deleted: await pruneRevokedTokens(database.sql) }),
  },
  {
    name: 'erase-documents',
    about: 'erases the pictures of documents decided DOCUMENT_RETENTION_DAYS ago, and what uploads left behind',
    everySeconds: HOUR_SECONDS,
    run: ({ config, database, stores, clock }, signal) => eraseDocuments({ config, database, stores }, clock.now(), signal),
  },
  {
    name: 'rotate-signing-keys',
    about: 'makes a new signing key when the newest is SIGNING_KEY_DAYS old, and removes those whose tokens have all expired',
    everySeconds: HOUR_SECONDS,
    run: ({ config, database, sealer }) => rotateSigningKeys(database, sealer, { everyDays: config.signingKeyDays }),
  },
];
