// The manifest of schedules.
import { type Manifest, resetOfCustomers, rowOf } from '../../platform/manifest.ts';

export const schedules = {
  tags: [{ name: 'schedules', description: 'Reallocations that a rule repeats, each occurrence exactly once' }],
  topics: {
    customer_schedule_ran: { resource: 'label-reallocation', about: 'An occurrence of a schedule moved money' },
    customer_schedule_skipped: { resource: 'schedule', about: 'An occurrence of a schedule was skipped' },
    customer_schedule_failed: { resource: 'schedule', about: 'An occurrence of a schedule failed' },
  },
  idempotent: { schedule: rowOf('schedule') },
  reset: resetOfCustomers('schedule_occurrence', 'schedule'),
} satisfies Manifest;
