// The housekeeping jobs: the catalog, with the function of each.
import { eraseDocuments } from '../documents/erase.ts';
import { keysSince, pruneKeys } from '../idempotency/store.ts';
import { pruneRevokedTokens } from '../oauth/directory.ts';
import { rotateSigningKeys } from '../oauth/signing-key.ts';
import { prune } from '../webhooks/prune.ts';
import { catalog, type JobName } from './catalog.ts';
import type { Job } from './job.ts';

const DAY_MS = 86_400_000;

const functions: Record<JobName, Job['run']> = {
  'prune-idempotency-keys': async (service, signal) => ({
    deleted: await pruneKeys(service.database.sql, { before: keysSince(service), signal }),
  }),
  async 'prune-events'({ config, database, clock }, signal) {
    const before = new Date(clock.now().getTime() - config.eventRetentionDays * DAY_MS);
    return prune(database.sql, { before, signal });
  },
  'prune-revoked-tokens': async ({ database }) => ({ deleted: await pruneRevokedTokens(database.sql) }),
  'erase-documents': ({ config, database, stores, clock }, signal) =>
    eraseDocuments({ config, database, stores }, clock.now(), signal),
  'rotate-signing-keys': ({ config, database, sealer }) =>
    rotateSigningKeys(database, sealer, { everyDays: config.signingKeyDays }),
};

export const jobs: Job[] = catalog.map((job) => ({ ...job, run: functions[job.name] }));
