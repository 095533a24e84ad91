// Label reallocation routes: create and retrieve a reallocation, list a customer's reallocations.
import Type from 'typebox';
import { requireCustomer } from '../customers/customer.ts';
import { correlated } from '../http/correlation-id.ts';
import { LongPeriodQuery } from '../http/moments.ts';
import { requireOwned } from '../http/owned.ts';
import { IdParams, ListOf } from '../http/paging.ts';
import { type App, Created, IdempotencyHeaders } from '../http/route.ts';
import { sendAnswer } from '../idempotency/answer.ts';
import { idempotencyOf } from '../idempotency/key.ts';
import { findTransfer } from '../ledger/transfer.ts';
import { ReferenceSchema } from '../money/amount.ts';
import type { Service } from '../service.ts';
import { transferPage } from '../transfers/list.ts';
import { LabelReallocation, ReallocationRequest, represent } from './label-reallocation.ts';
import { reallocate } from './reallocate.ts';

const tags = ['label reallocations'];

export function labelReallocationRoutes(app: App, service: Service): void {
  addCreateLabelReallocation(app, service);
  addGetLabelReallocation(app, service);
  addListLabelReallocations(app, service);
}

function addCreateLabelReallocation(app: App, service: Service): void {
  const { links } = service;

  app.post(
    '/label-reallocations',
    {
      config: { scope: 'write', checksScope: true, forbidden: 'reallocationForbidden', missing: 'labelNotFound' },
      schema: {
        operationId: 'createLabelReallocation',
        summary: 'Create a label reallocation',
        description:
          'Moves an amount between two labels of one customer and creates a ledger entry on each. The reallocation is durable before the response is sent.',
        tags,
        headers: IdempotencyHeaders,
        body: ReallocationRequest,
        response: { 201: Created },
      },
    },
    async (request, reply) =>
      sendAnswer(reply, links, await reallocate(service, request.caller, request.body, idempotencyOf(request))),
  );
}

function addGetLabelReallocation(app: App, { links, database }: Service): void {
  app.get(
    '/label-reallocations/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getLabelReallocation',
        summary: 'Retrieve a label reallocation',
        description: 'A label reallocation never changes. It links to the ledger entry on each label.',
        tags,
        params: IdParams,
        response: { 200: LabelReallocation },
      },
    },
    async (request) => {
      const transfer = requireOwned(await findTransfer(database.sql, request.params.id, 'reallocation'), request.caller);
      return represent(links, transfer);
    },
  );
}

function addListLabelReallocations(app: App, { links, database }: Service): void {
  app.get(
    '/customers/:id/label-reallocations',
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listLabelReallocations',
        summary: 'List the label reallocations of a customer',
        description: 'Newest first. `reference` and `correlationId` filter by exact text.',
        tags,
        params: IdParams,
        querystring: Type.Object({
          ...LongPeriodQuery.properties,
          reference: Type.Optional({ ...ReferenceSchema, description: 'Exact reference.' }),
          ...correlated,
        }),
        response: { 200: ListOf('label-reallocations', LabelReallocation) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return transferPage({ links, sql: database.sql }, customer, request.query, {
        kinds: ['reallocation'],
        name: 'label-reallocations',
        resourceType: 'label-reallocation',
        represent: (transfer) => represent(links, transfer),
      });
    },
  );
}
