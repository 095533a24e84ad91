// Label reallocation routes: create and retrieve a reallocation, list a customer's reallocations.
import type { Clock } from '../../core/clock.ts';
import { findEvidence } from '../../ledger/transfers/evidence.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import { findTransfer } from '../../ledger/transfers/transfer.ts';
import { listReversals } from '../../ledger/transfers/transfer-list.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/db/sql.ts';
import { checkedBy } from '../../platform/forms/check.ts';
import type { Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { validatorOf } from '../../platform/http/schemas.ts';
import { idempotencyOf } from '../../platform/idempotency/key.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import { requireCustomer } from '../customers/customer.ts';
import type { Authority } from '../oauth/authority.ts';
import { transferPage } from '../transfers/list.ts';
import { TransferQuery } from '../transfers/query.ts';
import { LabelReallocation, ReallocationRequest, ReversalRequest, represent } from './label-reallocation.ts';
import { reallocate } from './reallocate.ts';
import { evidenceOf, representSignature, SignedHeaders } from './request-signature.ts';
import { reverse } from './reverse.ts';

type Tools = { authority: Authority; clock: Clock; config: Config; database: Database; lanes: Lanes; links: Links };

const tags = ['label reallocations'];

const reversalErrors = validatorOf(ReversalRequest);
/** The body of a reversal may be absent. */
const compileReversal = checkedBy((body) => ({ errors: reversalErrors(body ?? {}), form: body ?? {} }));

export function labelReallocationRoutes(app: App, service: Tools): void {
  addCreateLabelReallocation(app, service);
  addGetLabelReallocation(app, service);
  addListLabelReallocations(app, service);
  addReverse(app, service);
  addListReversals(app, service);
}

function addCreateLabelReallocation(app: App, service: Tools): void {
  const { links } = service;

  app.post(
    '/label-reallocations',
    {
      config: {
        scope: 'write',
        checksScope: true,
        forbidden: 'reallocationForbidden',
        missing: 'labelNotFound',
        problems: ['externalIdTaken', 'badSignature'],
      },
      schema: {
        operationId: 'createLabelReallocation',
        summary: 'Create a label reallocation',
        description:
          'Moves an amount between two labels of one customer and creates a ledger entry on each. The reallocation is durable before the response is sent.',
        tags,
        body: ReallocationRequest,
        ...creates(LabelReallocation),
        headers: SignedHeaders,
      },
    },
    async (request, reply) => {
      const how = { evidence: await evidenceOf(service.authority, request), idempotency: idempotencyOf(request) };
      return sendResponse(reply, links, await reallocate(service, request.caller, request.body, how));
    },
  );
}

function addGetLabelReallocation(app: App, { links, database }: Tools): void {
  app.get(
    '/label-reallocations/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getLabelReallocation',
        summary: 'Retrieve a label reallocation',
        description:
          'It links to the ledger entry on each label. `reversed` is the sum of its reversals; it is absent on a reversal. Lists leave out `signature`.',
        tags,
        params: IdParams,
        response: { 200: LabelReallocation },
      },
    },
    async (request) => {
      const transfer = requireOwned(await findTransfer(database.sql, request.params.id, 'reallocation'), request.caller);
      const evidence = transfer.isSigned ? await findEvidence(database.sql, transfer.id) : undefined;
      return { ...represent(links, transfer), ...(evidence && { signature: representSignature(evidence) }) };
    },
  );
}

function addListLabelReallocations(app: App, { links, database }: Tools): void {
  app.get(
    '/customers/:id/label-reallocations',
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listLabelReallocations',
        summary: 'List the label reallocations of a customer',
        description: 'Newest first. `reference`, `correlationId`, `externalId` and `metadata[key]` filter by exact text.',
        tags,
        params: IdParams,
        querystring: TransferQuery,
        response: { 200: ListOf('label-reallocations', LabelReallocation) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return transferPage({ links, sql: database.sql }, customer, request.query, {
        kinds: ['reallocation'],
        name: 'label-reallocations',
        resourceType: 'label-reallocation',
        represent: (transfers) => transfers.map((transfer) => represent(links, transfer)),
      });
    },
  );
}

function addReverse(app: App, service: Tools): void {
  const { links, database } = service;

  app.post(
    '/label-reallocations/:id/reversals',
    {
      config: {
        scope: 'write',
        optionalBody: true,
        problems: ['reallocationReversed', 'customerNotVerified', 'labelNotFound', 'badSignature'],
      },
      validatorCompiler: compileReversal,
      schema: {
        operationId: 'createReversal',
        summary: 'Reverse a label reallocation',
        description:
          'Creates a label reallocation the other way. All reversals of a reallocation together are at most its amount. Without `amount`, reverses the unreversed remainder; the body may be absent. With the mode `available`, moves back what is still there of it, and the response has the reallocation.',
        tags,
        params: IdParams,
        body: ReversalRequest,
        ...creates(LabelReallocation),
        headers: SignedHeaders,
      },
    },
    async (request, reply) => {
      const original = requireOwned(await findTransfer(database.sql, request.params.id, 'reallocation'), request.caller);
      const how = { evidence: await evidenceOf(service.authority, request), idempotency: idempotencyOf(request) };
      const answer = await reverse(service, original, request.body, how);
      if (request.body.mode !== 'available') return sendResponse(reply, links, answer);
      const made = await findTransfer(database.sql, answer.resource.id, 'reallocation');
      return sendResponse(reply, links, { ...answer, ...(made && { body: represent(links, made) }) });
    },
  );
}

function addListReversals(app: App, { links, database }: Tools): void {
  app.get(
    '/label-reallocations/:id/reversals',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listReversals',
        summary: 'List the reversals of a label reallocation',
        description: 'Newest first. Each is a label reallocation.',
        tags,
        params: IdParams,
        querystring: PageQuery,
        response: { 200: ListOf('label-reallocations', LabelReallocation) },
      },
    },
    async (request) => {
      const original = requireOwned(await findTransfer(database.sql, request.params.id, 'reallocation'), request.caller);
      const { elements, total } = await listReversals(database.sql, original, request.query);
      return listPage(links, request.query, {
        path: `/label-reallocations/${original.id}/reversals`,
        name: 'label-reallocations',
        resourceType: 'label-reallocation',
        elements: elements.map((transfer) => represent(links, transfer)),
        total,
      });
    },
  );
}
