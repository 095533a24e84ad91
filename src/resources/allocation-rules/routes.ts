// Allocation rule routes: create, list, retrieve, change and delete a customer's rules, and preview a deposit.
import type { Clock } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { checkEarly } from '../../platform/http/owned.ts';
import { IdParams, ListOf, listPage, PageQuery } from '../../platform/http/paging.ts';
import { type App, creates, IdempotencyHeaders } from '../../platform/http/route.ts';
import { replyOnce } from '../../platform/idempotency/reply-once.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { requireCustomer } from '../customers/customer.ts';
import {
  AllocationRuleChange,
  AllocationRuleRequest,
  AllocationRuleSchema,
  listAllocationRules,
  represent,
  requireAllocationRule,
} from './allocation-rule.ts';
import { PreviewRequest, PreviewSchema, previewDeposit } from './apply.ts';
import { changeAllocationRule, createAllocationRule, deleteAllocationRule } from './change.ts';

type Tools = { clock: Clock; config: Config; database: Database; groups: Groups; links: Links; sealer: Sealer };

const tags = ['allocation rules'];
const path = '/customers/:id/allocation-rules';

export function allocationRuleRoutes(app: App, service: Tools): void {
  addCreateAllocationRule(app, service);
  addListAllocationRules(app, service);
  addPreviewAllocation(app, service);
  addGetAllocationRule(app, service);
  addUpdateAllocationRule(app, service);
  addRemoveAllocationRule(app, service);
}

function addCreateAllocationRule(app: App, service: Tools): void {
  const { links, database, clock } = service;

  app.post(
    path,
    {
      config: { scope: 'write', missing: 'customerNotFound', problems: ['labelNotFound', 'allocationRuleActive'] },
      schema: {
        operationId: 'createAllocationRule',
        summary: 'Create an allocation rule',
        description:
          'From now on, each deposit in the currency of the labels is divided by the steps, in their order, in its own transaction. A percentage is of the whole deposit, rounded half even; a step takes at most what is left. What is left after the last step stays available. A customer has at most one active rule per currency.',
        tags,
        params: IdParams,
        body: AllocationRuleRequest,
        ...creates(AllocationRuleSchema),
      },
    },
    async (request, reply) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return replyOnce(service, reply, customer.bucket, async (tx) => {
        const now = clock.now(customer.accountId);
        const { id } = await createAllocationRule(tx, links, customer, request.body, now);
        return { status: 201, resource: { type: 'allocation-rule', id } };
      });
    },
  );
}

function addListAllocationRules(app: App, { links, database }: Tools): void {
  app.get(
    path,
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'listAllocationRules',
        summary: 'List the allocation rules of a customer',
        description: 'Newest first, with paused rules and without deleted ones.',
        tags,
        params: IdParams,
        querystring: PageQuery,
        response: { 200: ListOf('allocation-rules', AllocationRuleSchema) },
      },
    },
    async (request) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      const { elements, total } = await listAllocationRules(database.sql, customer.id, request.query);
      return listPage(links, request.query, {
        path: `/customers/${customer.id}/allocation-rules`,
        name: 'allocation-rules',
        resourceType: 'allocation-rule',
        elements: elements.map((rule) => represent(links, rule)),
        total,
      });
    },
  );
}

function addPreviewAllocation(app: App, service: Tools): void {
  const { links, database } = service;

  app.post(
    `${path}/preview`,
    {
      config: { scope: 'read', missing: 'customerNotFound' },
      schema: {
        operationId: 'previewAllocation',
        summary: 'Preview the allocation of a deposit',
        description:
          'Returns what the steps would move to labels if the amount were deposited now. Without an active rule there are no steps, and the whole amount stays available. Nothing is moved.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: PreviewRequest,
        response: { 200: PreviewSchema },
      },
    },
    async (request, reply) => {
      const customer = await requireCustomer(database.sql, request.caller, request.params.id, request.routeOptions.config);
      return replyOnce(service, reply, customer.bucket, async (tx) => {
        const body = await previewDeposit(tx, links, customer.id, request.body);
        return { status: 200, resource: { type: 'customer', id: customer.id }, body };
      });
    },
  );
}

function addGetAllocationRule(app: App, { links, database }: Tools): void {
  app.get(
    '/allocation-rules/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getAllocationRule',
        summary: 'Retrieve an allocation rule',
        description: 'A deleted rule remains readable, because deposits and ledger entries link to it.',
        tags,
        params: IdParams,
        response: { 200: AllocationRuleSchema },
      },
    },
    async (request) => represent(links, await requireAllocationRule(database.sql, request.caller, request.params.id)),
  );
}

function addUpdateAllocationRule(app: App, service: Tools): void {
  const { links } = service;

  app.post(
    '/allocation-rules/:id',
    {
      config: { scope: 'write', problems: ['labelNotFound', 'allocationRuleDeleted', 'allocationRuleActive'] },
      schema: {
        operationId: 'updateAllocationRule',
        summary: 'Replace, pause or resume an allocation rule',
        description: 'Deposits from now on are divided by the new steps. Earlier deposits do not change.',
        tags,
        params: IdParams,
        headers: IdempotencyHeaders,
        body: AllocationRuleChange,
        response: { 200: AllocationRuleSchema },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await checkEarly(request.caller, () => requireAllocationRule(service.database.sql, request.caller, id));
      return replyOnce(service, reply, bucketOf(id), async (tx) => {
        const rule = await changeAllocationRule(tx, links, request.caller, id, request.body);
        return { status: 200, resource: { type: 'allocation-rule', id }, body: represent(links, rule) };
      });
    },
  );
}

function addRemoveAllocationRule(app: App, { links, database, clock }: Tools): void {
  app.delete(
    '/allocation-rules/:id',
    {
      config: { scope: 'write', problems: ['allocationRuleDeleted'] },
      schema: {
        operationId: 'removeAllocationRule',
        summary: 'Delete an allocation rule',
        description: 'Returns the deleted rule, which remains readable and is not listed.',
        tags,
        params: IdParams,
        response: { 200: AllocationRuleSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const rule = await database.transaction((tx) => deleteAllocationRule(tx, caller, params.id, clock.now(caller.accountId)));
      return represent(links, rule);
    },
  );
}
