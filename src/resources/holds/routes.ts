// Hold routes: create and list a customer's holds, retrieve, capture and release a hold.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import { checkedBy, requireNoMembers } from '../../platform/forms/check.ts';
import { ExternalId } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import { checkEarly } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates, IdempotencyHeaders } from '../../platform/http/route.ts';
import { validatorOf } from '../../platform/http/schemas.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireCustomer } from '../customers/customer.ts';
import { captureHold, releaseHold } from './capture.ts';
import { createHold } from './create.ts';
import { CaptureRequest, HoldRequest, HoldSchema, listHolds, representAll, requireHold, STATUSES } from './hold.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const HoldQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Enum(STATUSES, { description: 'Only holds that have this status now.' })),
  externalId: Type.Optional(ExternalId),
});

const tags = ['holds'];
const path = '/customers/:id/holds';

const captureErrors = validatorOf(CaptureRequest);
/** The body of a capture may be absent. */
const compileCapture = checkedBy((body) => ({ errors: captureErrors(body ?? {}), form: body ?? {} }));

export function holdRoutes(app: App, service: Tools): void {
  addCreateHold(app, service);
  addListHolds(app, service);
  addGetHold(app, service);
  addCaptureHold(app, service);
  addReleaseHold(app, service);
}

function addCreateHold(app: App, service: Tools): void {
  const { database, clock, groups, links } = service;

  app.post(
    path,
    {
      config: {
        scope: 'write',
        missing: 'customerNotFound',
        problems: ['customerNotVerified', 'labelNotFound', 'externalIdTaken'],
      },
      schema: {
        operationId: 'createHold',
        summary: 'Hold money',
        description:
          'Keeps money of a label, or of the available balance, from being spent until the hold is captured, released, or expires. Nothing moves: no amount changes, but only what is not held can be reallocated, withdrawn or held again.',
        tags,
        params: IdParams,
        body: HoldRequest,
        ...creates(HoldSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      // It locks the ledger account, so the whole transaction runs where the customer is.
      const used = { ...service, database: groups.near(customer.bucket) };
      return replyOnce(used, reply, customer.bucket, async (tx) => {
        const id = await createHold({ tx, links }, customer, request.body, clock.now(customer.accountId));
        return { status: 201, resource: { type: 'hold', id } };
      });
    },
  );
}

function addListHolds(app: App, { links, database, clock }: Tools): void {
  app.get(
    path,
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listHolds',
        summary: 'List the holds of a customer',
        description: 'Newest first.',
        tags,
        params: IdParams,
        querystring: HoldQuery,
        response: { 200: ListOf('holds', HoldSchema) },
      },
    },
    async (request) => {
      const { sql } = database;
      const customer = await requireCustomer(sql, request.caller, request.params.id, request.routeOptions.config);
      const now = clock.now(customer.accountId);
      const { status, externalId } = request.query;
      const { elements, total } = await listHolds(sql, customer.id, { ...request.query, now });
      return listPage(links, request.query, {
        path: `/customers/${customer.id}/holds`,
        name: 'holds',
        resourceType: 'hold',
        elements: await representAll({ links, sql }, elements, now),
        total,
        filters: { status, externalId },
      });
    },
  );
}

function addGetHold(app: App, { links, database, clock }: Tools): void {
  app.get(
    '/holds/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getHold',
        summary: 'Retrieve a hold',
        description: 'Its status, what was captured and what it still holds, with its captures.',
        tags,
        params: IdParams,
        response: { 200: HoldSchema },
      },
    },
    async ({ caller, params }) => {
      const hold = await requireHold(database.sql, caller, params.id);
      const [shown] = await representAll({ links, sql: database.sql }, [hold], clock.now(hold.accountId));
      return shown!;
    },
  );
}

function addCaptureHold(app: App, service: Tools): void {
  const { links, clock, groups } = service;

  app.post(
    '/holds/:id/captures',
    {
      config: {
        scope: 'write',
        optionalBody: true,
        problems: ['holdNotPending', 'customerNotVerified', 'labelNotFound', 'externalIdTaken'],
      },
      validatorCompiler: compileCapture,
      schema: {
        operationId: 'captureHold',
        summary: 'Capture a hold',
        description:
          'Moves what a hold keeps, or a part of it: to a label, or out of the customer, which also needs the scope `funds`. A hold can be captured several times, until nothing is left or `final` releases the rest. The reference and the correlation id are those of the hold by default. Location is the URL of the hold, which links to the transfer.',
        tags,
        params: IdParams,
        body: CaptureRequest,
        ...creates(HoldSchema),
      },
    },
    async (request, reply) => {
      const { caller, params } = request;
      const bucket = bucketOf(params.id);
      const used = { ...service, database: groups.near(bucket) };
      await checkEarly(caller, () => requireHold(service.database.sql, caller, params.id));
      return replyOnce(used, reply, bucket, async (tx) => {
        const now = clock.now(caller.accountId);
        await captureHold({ tx, links }, caller, params.id, { request: request.body, now });
        return { status: 201, resource: { type: 'hold', id: params.id } };
      });
    },
  );
}

function addReleaseHold(app: App, service: Tools): void {
  const { links, clock, groups } = service;

  app.post(
    '/holds/:id/releases',
    {
      config: { scope: 'write', problems: ['holdNotPending'] },
      preValidation: requireNoMembers,
      schema: {
        operationId: 'releaseHold',
        summary: 'Release a hold',
        description: 'Makes what the hold keeps available again. Also works while the customer is suspended.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        response: { 200: HoldSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const bucket = bucketOf(id);
      const used = { ...service, database: groups.near(bucket) };
      await checkEarly(request.caller, () => requireHold(service.database.sql, request.caller, id));
      return replyOnce(used, reply, bucket, async (tx) => {
        const now = clock.now(request.caller.accountId);
        const hold = await releaseHold(tx, request.caller, id, now);
        const [body] = await representAll({ links, sql: tx }, [hold], now);
        return { status: 200, resource: { type: 'hold', id }, body };
      });
    },
  );
}
