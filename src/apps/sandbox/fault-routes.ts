// Routes of planned faults: plan, list, retrieve and remove.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { bucketOf } from '../../core/ids.ts';
import { IdParams, NoQuery } from '../../platform/http/paging.ts';
import { type App, creates } from '../../platform/http/route.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import {
  checkFault,
  FaultList,
  FaultRequest,
  FaultSchema,
  listFaults,
  planFault,
  removeFault,
  represent,
  requireFault,
} from '../../platform/sandbox/fault.ts';
import type { SandboxTools } from '../../platform/sandbox/tools.ts';
import type { Service } from '../service/service.ts';
import { requireSandbox } from './require-sandbox.ts';

const tags = ['sandbox'];

/** Registers the routes in a sandbox only; elsewhere their paths are not found. */
export function faultRoutes(app: App, service: Service): void {
  const { sandboxTools } = service;
  if (!sandboxTools) return;
  app.register(async (scope) => {
    scope.addHook('preHandler', () => requireSandbox(service));
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>();
    addPlanFault(routes, service, sandboxTools);
    addListFaults(routes, service);
    addGetFault(routes, service);
    addRemoveFault(routes, service, sandboxTools);
  });
}

function addPlanFault(app: App, service: Service, tools: SandboxTools): void {
  const { links, clock } = service;

  app.post(
    '/sandbox/faults',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'planFault',
        summary: 'Plan a fault',
        description:
          'The next requests of an operation, or the next webhook deliveries, get an error status, a delay or no response, so that you can test your error handling. With `effect` the operation is executed and only its response is lost.',
        tags,
        body: FaultRequest,
        ...creates(FaultSchema),
      },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      checkFault(request.body, tools.operations);
      const answer = await idempotently(service, request, bucketOf(accountId), async (tx) => {
        const id = await planFault(tx, accountId, request.body, clock.now(accountId));
        return { status: 201, resource: { type: 'sandbox/fault', id } };
      });
      await tools.refresh();
      return sendResponse(reply, links, answer);
    },
  );
}

function addListFaults(app: App, { links, database }: Service): void {
  app.get(
    '/sandbox/faults',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'listFaults',
        summary: 'List planned faults',
        description: 'Faults with requests remaining. Not paged.',
        tags,
        querystring: NoQuery,
        response: { 200: FaultList },
      },
    },
    async (request) => {
      const faults = await listFaults(database.sql, request.caller.accountId);
      return {
        _links: { self: links.link('/sandbox/faults', 'fault') },
        _embedded: { faults: faults.map((fault) => represent(links, fault)) },
        total: faults.length,
      };
    },
  );
}

function addGetFault(app: App, { links, database }: Service): void {
  app.get(
    '/sandbox/faults/:id',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getFault',
        summary: 'Retrieve a planned fault',
        description: 'Includes the number of requests that will still get the fault.',
        tags,
        params: IdParams,
        response: { 200: FaultSchema },
      },
    },
    async (request) => represent(links, await requireFault(database.sql, request.caller, request.params.id)),
  );
}

function addRemoveFault(app: App, { links, database }: Service, tools: SandboxTools): void {
  app.delete(
    '/sandbox/faults/:id',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'removeFault',
        summary: 'Remove a planned fault',
        description: 'Returns the fault as it was.',
        tags,
        params: IdParams,
        response: { 200: FaultSchema },
      },
    },
    async (request) => {
      const fault = await requireFault(database.sql, request.caller, request.params.id);
      await removeFault(database.sql, fault.id);
      await tools.refresh();
      return represent(links, fault);
    },
  );
}
