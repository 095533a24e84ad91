// Schedule routes: create and list a customer's schedules, retrieve, change and end a schedule.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import { ExternalId } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import { checkEarly } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates, IdempotencyHeaders } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireCustomer } from '../customers/customer.ts';
import { changeSchedule, endSchedule } from './change.ts';
import { createSchedule } from './create.ts';
import { listSchedules, represent, requireSchedule } from './schedule.ts';
import { ScheduleChange, ScheduleRequest, ScheduleSchema, STATUSES } from './schemas.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const ScheduleQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(STATUSES, { description: 'Only schedules with this status.' })),
  externalId: Type.Optional(ExternalId),
});

const tags = ['schedules'];
const path = '/customers/:id/schedules';

export function scheduleRoutes(app: App, service: Tools): void {
  addCreateSchedule(app, service);
  addListSchedules(app, service);
  addGetSchedule(app, service);
  addUpdateSchedule(app, service);
  addRemoveSchedule(app, service);
}

function addCreateSchedule(app: App, service: Tools): void {
  const { database, clock, links } = service;

  app.post(
    path,
    {
      config: {
        scope: 'write',
        missing: 'customerNotFound',
        problems: ['labelNotFound', 'tooManySchedules', 'externalIdTaken'],
      },
      schema: {
        operationId: 'createSchedule',
        summary: 'Create a schedule',
        description:
          'Repeats a reallocation between two labels of the customer. Each occurrence is decided exactly once, in the order of their times: it runs, is skipped, or fails, with an event. Its reallocation uses only what is available. A customer has at most 100 schedules that have not ended.',
        tags,
        params: IdParams,
        body: ScheduleRequest,
        ...creates(ScheduleSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return replyOnce(service, reply, customer.bucket, async (tx) => {
        const id = await createSchedule({ tx, links }, customer, request.body, clock.now(customer.accountId));
        return { status: 201, resource: { type: 'schedule', id } };
      });
    },
  );
}

function addListSchedules(app: App, { links, database }: Tools): void {
  app.get(
    path,
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listSchedules',
        summary: 'List the schedules of a customer',
        description: 'Newest first.',
        tags,
        params: IdParams,
        querystring: ScheduleQuery,
        response: { 200: ListOf('schedules', ScheduleSchema) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      const { status, externalId } = request.query;
      const { elements, total } = await listSchedules(database.sql, customer.id, request.query);
      return listPage(links, request.query, {
        path: `/customers/${customer.id}/schedules`,
        name: 'schedules',
        resourceType: 'schedule',
        elements: elements.map((schedule) => represent(links, schedule)),
        total,
        filters: { status, externalId },
      });
    },
  );
}

function addGetSchedule(app: App, { links, database }: Tools): void {
  app.get(
    '/schedules/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getSchedule',
        summary: 'Retrieve a schedule',
        description: 'Its terms, its status, and the time of its next occurrence.',
        tags,
        params: IdParams,
        response: { 200: ScheduleSchema },
      },
    },
    async ({ caller, params }) => represent(links, await requireSchedule(database.sql, caller, params.id)),
  );
}

function addUpdateSchedule(app: App, service: Tools): void {
  const { links, clock } = service;

  app.post(
    '/schedules/:id',
    {
      config: { scope: 'write', problems: ['scheduleEnded'] },
      schema: {
        operationId: 'updateSchedule',
        summary: 'Change, pause or resume a schedule',
        description:
          'Changes apply to every occurrence that has not been decided. A new rule, start or time zone, and a resumed schedule, go on with the first occurrence from now on. `metadata` replaces all pairs.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: ScheduleChange,
        response: { 200: ScheduleSchema },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      await checkEarly(caller, () => requireSchedule(service.database.sql, caller, params.id));
      return replyOnce(service, reply, bucketOf(params.id), async (tx) => {
        await changeSchedule(tx, caller, params.id, { change: body, now: clock.now(caller.accountId) });
        const schedule = await requireSchedule(tx, caller, params.id);
        return { status: 200, resource: { type: 'schedule', id: schedule.id }, body: represent(links, schedule) };
      });
    },
  );
}

function addRemoveSchedule(app: App, { links, database, clock }: Tools): void {
  app.delete(
    '/schedules/:id',
    {
      config: { scope: 'write', problems: ['scheduleEnded'] },
      schema: {
        operationId: 'removeSchedule',
        summary: 'End a schedule',
        description: 'No further occurrence runs. Returns the schedule, which remains readable and listed.',
        tags,
        params: IdParams,
        response: { 200: ScheduleSchema },
      },
    },
    async ({ caller, params }) => {
      await database.transaction((tx) => endSchedule(tx, caller, params.id, clock.now(caller.accountId)));
      return represent(links, await requireSchedule(database.sql, caller, params.id));
    },
  );
}
