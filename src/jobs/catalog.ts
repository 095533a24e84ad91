// Name, purpose and interval of every job, without the work itself: the help lists them.
import type { Job } from './job.ts';

const HOUR_SECONDS = 3600;

export type JobName = (typeof catalog)[number]['name'];

export const catalog = [
  {
    name: 'prune-idempotency-keys',
    about: 'forgets idempotency keys older than IDEMPOTENCY_TTL_HOURS',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'prune-events',
    about: 'deletes events and webhooks with their attempts older than EVENT_RETENTION_DAYS',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'prune-traces',
    about: 'forgets where events of a day ago stood in traces',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'prune-revoked-tokens',
    about: 'forgets revocations of tokens that have expired',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'erase-documents',
    about: 'erases the pictures of documents decided DOCUMENT_RETENTION_DAYS ago, and what uploads left behind',
    everySeconds: HOUR_SECONDS,
  },
  {
    name: 'rotate-signing-keys',
    about: 'makes a new signing key when the newest is SIGNING_KEY_DAYS old, and removes those whose tokens have all expired',
    everySeconds: HOUR_SECONDS,
  },
] as const satisfies readonly Omit<Job, 'run'>[];
