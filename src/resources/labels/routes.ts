// Label routes: create and list a customer's labels, retrieve a label and its balance, remove a label.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import { external, MetadataFilter, metadataParameters } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import type { Links } from '../../platform/http/links.ts';
import { MomentQuery, pastMoment } from '../../platform/http/moments.ts';
import { checkEarly, requireOwned } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates, IdempotencyHeaders } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireCustomer } from '../customers/customer.ts';
import { LabelBalanceSchema, labelBalance } from './balance.ts';
import { changeLabel } from './change.ts';
import { createLabel } from './create.ts';
import { findLabel, LabelChange, LabelRequest, LabelSchema, listLabels, represent, requireLabel, withHeld } from './label.ts';
import { removeLabel } from './remove.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const LabelQuery = Type.Object({
  ...PageQuery.properties,
  ...correlated,
  externalId: external.externalId,
  metadata: Type.Optional(MetadataFilter),
});

const tags = ['labels'];
const path = '/customers/:id/labels';

export function labelRoutes(app: App, service: Tools): void {
  addCreateLabel(app, service);
  addListLabels(app, service);
  addGetLabel(app, service);
  addGetLabelBalance(app, service);
  addUpdateLabel(app, service);
  addRemoveLabel(app, service);
}

function addCreateLabel(app: App, service: Tools): void {
  const { database, clock, groups } = service;

  app.post(
    path,
    {
      config: {
        scope: 'write',
        forbidden: 'labelForbidden',
        missing: 'customerNotFound',
        problems: ['customerNotVerified', 'externalIdTaken'],
      },
      schema: {
        operationId: 'createLabel',
        summary: 'Create a label',
        description:
          'Takes the amount, which may be zero, from the available balance. Its currency becomes the currency of the label.',
        tags,
        params: IdParams,
        body: LabelRequest,
        ...creates(LabelSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      // It may move money, so the whole transaction runs where the customer is.
      const used = { ...service, database: groups.near(customer.bucket) };
      return replyOnce(used, reply, customer.bucket, async (tx) => {
        const id = await createLabel(tx, customer, request.body, clock.now(customer.accountId));
        return { status: 201, resource: { type: 'label', id } };
      });
    },
  );
}

function addListLabels(app: App, { links, database, clock }: Tools): void {
  app.get(
    path,
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listLabels',
        summary: 'List the labels of a customer',
        description: 'Newest first, without removed labels.',
        tags,
        params: IdParams,
        querystring: LabelQuery,
        response: { 200: ListOf('labels', LabelSchema) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      const { elements, total } = await listLabels(database.sql, customer.id, request.query);
      return listPage(links, request.query, {
        path: `/customers/${customer.id}/labels`,
        name: 'labels',
        resourceType: 'label',
        elements: (await withHeld(database.sql, elements, clock.now(customer.accountId))).map((label) => represent(links, label)),
        total,
        filters: {
          correlationId: request.query.correlationId,
          externalId: request.query.externalId,
          ...metadataParameters(request.query.metadata),
        },
      });
    },
  );
}

function addGetLabel(app: App, { links, database, clock }: Tools): void {
  app.get(
    '/labels/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getLabel',
        summary: 'Retrieve a label',
        description: 'Returns 404 for a removed label, but its ledger entries remain readable.',
        tags,
        params: IdParams,
        response: { 200: LabelSchema },
      },
    },
    async (request) => {
      const label = await requireLabel(database.sql, request.caller, request.params.id);
      const [shown] = await withHeld(database.sql, [label], clock.now(label.accountId));
      return represent(links, shown!);
    },
  );
}

function addGetLabelBalance(app: App, { links, database, clock }: Tools): void {
  app.get(
    '/labels/:id/balance',
    {
      config: { scope: 'read', missing: 'labelNotFound' },
      schema: {
        operationId: 'getLabelBalance',
        summary: 'Retrieve the balance of a label',
        description: 'Now, or at a past time. Also works for a removed label. Zero before the label was created.',
        tags,
        params: IdParams,
        querystring: MomentQuery,
        response: { 200: LabelBalanceSchema },
      },
    },
    async (request) => {
      const { sql } = database;
      const label = requireOwned(await findLabel(sql, request.params.id), request.caller, request.routeOptions.config);
      const { at } = request.query;
      return labelBalance({ links, sql }, label, at === undefined ? undefined : pastMoment(at, clock.now(label.accountId)));
    },
  );
}

function addUpdateLabel(app: App, service: Tools): void {
  const { links, groups } = service;

  app.post(
    '/labels/:id',
    {
      config: { scope: 'write', problems: ['tooManyNames'] },
      schema: {
        operationId: 'updateLabel',
        summary: 'Change the name or the metadata of a label',
        description:
          'Statements of months that have ended keep the name that the label had then. `metadata` replaces all earlier pairs.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: LabelChange,
        response: { 200: LabelSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      // It locks the label, so the whole transaction runs where the customer is.
      const used = { ...service, database: groups.near(bucketOf(id)) };
      await checkEarly(request.caller, () => requireLabel(service.database.sql, request.caller, id));
      return replyOnce(used, reply, bucketOf(id), async (tx) => {
        const now = service.clock.now(request.caller.accountId);
        const label = await changeLabel(tx, request.caller, id, { change: request.body, now });
        const [shown] = await withHeld(tx, [label], now);
        return { status: 200, resource: { type: 'label', id }, body: represent(links, shown!) };
      });
    },
  );
}

function addRemoveLabel(app: App, { links, database, clock }: Tools): void {
  app.delete(
    '/labels/:id',
    {
      config: { scope: 'write', problems: ['labelNotEmpty'] },
      schema: {
        operationId: 'removeLabel',
        summary: 'Remove a label',
        description: 'The amount must be zero. Returns the label as it was; its ledger entries remain readable.',
        tags,
        params: IdParams,
        response: { 200: LabelSchema },
      },
    },
    async (request) => {
      const label = await requireLabel(database.sql, request.caller, request.params.id);
      const now = clock.now(label.accountId);
      return represent(links, await database.transaction((tx) => removeLabel(tx, request.caller, label, now)));
    },
  );
}
