// The calls of schedules.
import type { Api, CallOptions, Form, PostOptions, Query } from './api.ts';
import { hrefOf, type Ref } from './reference.ts';

/** `from` and `to`: labels. `start`: local time in `timeZone`, such as 2026-01-31T18:00:00. */
type ScheduleForm = Omit<Form<'/customers/{id}/schedules'>, '_links'> & { from: Ref; to: Ref };

export function scheduleCalls(api: Api, baseUrl: string) {
  const link = (label: Ref) => ({ href: hrefOf(baseUrl, 'labels', label) });
  return {
    /** `{ from, to, amount: { value: 'all' }, rule: 'FREQ=MONTHLY;BYMONTHDAY=-1', start, timeZone }` */
    create: (customer: Ref, { from, to, ...form }: ScheduleForm, options?: PostOptions) =>
      api.create('/customers/{id}/schedules', customer, { ...form, _links: { from: link(from), to: link(to) } }, options),
    get: (schedule: Ref, options?: CallOptions) => api.get('/schedules/{id}', schedule, options),
    /** Newest first. */
    list: (customer: Ref, query?: Query<'/customers/{id}/schedules'>, options?: CallOptions) =>
      api.list('/customers/{id}/schedules', customer, query, options),
    /** Applies to what has not run yet. */
    update: (schedule: Ref, change: Form<'/schedules/{id}'>, options?: PostOptions) =>
      api.change('/schedules/{id}', schedule, change, options),
    pause: (schedule: Ref, options?: PostOptions) => api.change('/schedules/{id}', schedule, { paused: true }, options),
    resume: (schedule: Ref, options?: PostOptions) => api.change('/schedules/{id}', schedule, { paused: false }, options),
    /** Ends it. The schedule remains readable. */
    end: (schedule: Ref, options?: CallOptions) => api.remove('/schedules/{id}', schedule, options),
    /** Oldest first: what became of past ones, and a preview. */
    occurrences: (schedule: Ref, query?: Query<'/schedules/{id}/occurrences'>, options?: CallOptions) =>
      api.list('/schedules/{id}/occurrences', schedule, query, options),
  };
}
