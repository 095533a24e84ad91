// The catalog of housekeeping jobs: name, purpose and interval. The help lists them without loading their code.
import type { Job } from './job.ts';

const HOUR_SECONDS = 3600;

export type JobName = (typeof catalog)[number]['name'];

export const catalog = [
  {
    name: 'prune-idempotency-keys',
    about: 'deletes idempotency keys older than IDEMPOTENCY_TTL_HOURS',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'prune-events',
    about: 'deletes events and webhooks with their attempts older than EVENT_RETENTION_DAYS',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'prune-revoked-tokens',
    about: 'deletes revocations of expired tokens',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'erase-documents',
    about: 'erases the content of documents decided DOCUMENT_RETENTION_DAYS ago, and content that belongs to no document',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'rotate-signing-keys',
    about: 'creates a signing key when the newest is SIGNING_KEY_DAYS old, and removes keys whose tokens have all expired',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'sample-figures',
    about: 'stores the figures that the overview of the console plots, and keeps them for three days',
    everySeconds: 300,
  },
] as const satisfies readonly Omit<Job, 'run'>[];
