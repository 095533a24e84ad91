// The housekeeping jobs: the catalog, with the function of each.
import { keysSince, pruneKeys } from '../../platform/idempotency/store.ts';
import { eraseDocuments } from '../../resources/documents/erase.ts';
import { pruneRevokedTokens } from '../../resources/oauth/directory.ts';
import { rotateSigningKeys } from '../../resources/oauth/signing-key.ts';
import { prune } from '../../resources/webhooks/prune.ts';
import { catalog, type JobName } from './catalog.ts';
import type { Job } from './job.ts';
import { sampleFigures } from './samples.ts';

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
  'sample-figures': async ({ database }) => ({ stored: await sampleFigures(database, new Date()) }),
};

export const jobs: Job[] = catalog.map((job) => ({ ...job, run: functions[job.name] }));
