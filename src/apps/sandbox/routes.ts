// Sandbox routes: an account's clock and its reset. They do not exist in production.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import { later } from '../../core/clock.ts';
import { bucketOf } from '../../core/ids.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { LinkSchema } from '../../platform/http/links.ts';
import { type App, IdempotencyHeaders } from '../../platform/http/route.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import { sendResponse } from '../../platform/idempotency/stored-response.ts';
import type { SandboxTools } from '../../platform/sandbox/tools.ts';
import type { Service } from '../service/service.ts';
import { advanceClock } from './advance.ts';
import { expire } from './expire.ts';
import { requireSandbox } from './require-sandbox.ts';
import { resetAccount } from './reset.ts';

const tags = ['sandbox'];
const ADVANCE_MAX_SECONDS = 10 * 366 * 86_400;

const AccountClock = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    now: Type.String({ format: 'date-time', description: 'Time of the account clock.' }),
    aheadSeconds: Type.Integer({ minimum: 0, description: 'Seconds that the clock is ahead of real time.' }),
  },
  { title: 'AccountClock', description: 'The clock of an account. All its resources use it.' },
);

const ClockAdvance = Type.Object(
  { advanceSeconds: Type.Integer({ minimum: 1, maximum: ADVANCE_MAX_SECONDS }) },
  { title: 'ClockAdvance', ...STRICT },
);

const AccountReset = Type.Object(
  {
    _links: Type.Object({ account: LinkSchema }),
    removed: Type.Object({
      customers: Type.Integer(),
      labels: Type.Integer(),
      transfers: Type.Integer(),
      documents: Type.Integer(),
      webhookSubscriptions: Type.Integer(),
    }),
  },
  { title: 'AccountReset', description: 'Number of deleted records, by type.' },
);

/** Registers the routes in a sandbox only; elsewhere their paths are not found. */
export function sandboxRoutes(app: App, service: Service): void {
  const { sandboxTools } = service;
  if (!sandboxTools) return;
  app.register(async (scope) => {
    scope.addHook('preHandler', () => requireSandbox(service));
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>();
    addGetClock(routes, service);
    addAdvanceClock(routes, service, sandboxTools);
    addResetAccount(routes, service, sandboxTools);
  });
}

function addGetClock(app: App, service: Service): void {
  app.get(
    '/sandbox/clock',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getClock',
        summary: 'Retrieve the account clock',
        description: 'The time of the account clock, and how far it is ahead.',
        tags,
        response: { 200: AccountClock },
      },
    },
    async (request) => representClock(service, service.clock.aheadMs!(request.caller.accountId)),
  );
}

function addAdvanceClock(app: App, service: Service, tools: SandboxTools): void {
  const { links, clock } = service;

  app.post(
    '/sandbox/clock',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'advanceClock',
        summary: 'Advance the account clock',
        description:
          'All resources of the account use this clock: tokens expire (including yours), webhooks and checks become due, and idempotency keys, events and webhooks are deleted after their retention period. The clock cannot go back; a reset sets it to real time.',
        tags,
        headers: IdempotencyHeaders,
        body: ClockAdvance,
        response: { 200: AccountClock },
      },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const answer = await idempotently(service, request, bucketOf(accountId), async (tx) => {
        const aheadMs = await advanceClock(tx, accountId, request.body.advanceSeconds * 1000, clock.now());
        const made = later(clock.now(), aheadMs);
        return { status: 200, resource: { type: 'account', id: accountId }, body: representClock(service, aheadMs), made };
      });
      await tools.refresh();
      await expire(service, accountId);
      return sendResponse(reply, links, answer);
    },
  );
}

function representClock({ links, clock }: Service, aheadMs: number): Static<typeof AccountClock> {
  return {
    _links: { self: links.link('/sandbox/clock', 'account-clock') },
    now: later(clock.now(), aheadMs).toISOString(),
    aheadSeconds: Math.floor(aheadMs / 1000),
  };
}

function addResetAccount(app: App, service: Service, tools: SandboxTools): void {
  app.post(
    '/sandbox/reset',
    {
      config: { scope: 'write' },
      schema: {
        operationId: 'resetAccount',
        summary: 'Reset the account',
        description:
          'Deletes all customers with their resources, events, webhook subscriptions, idempotency keys and planned faults, and sets the account clock to real time. The account, its applications and their tokens remain; a token that was issued more than a day ahead of real time ends.',
        tags,
        headers: IdempotencyHeaders,
        response: { 200: AccountReset },
      },
    },
    async (request, reply) => {
      const { accountId } = request.caller;
      const answer = await idempotently(service, request, bucketOf(accountId), async (tx) => {
        const removed = await resetAccount(tx, service, accountId);
        const body = { _links: { account: service.links.to('account', accountId) }, removed };
        return { status: 200, resource: { type: 'account', id: accountId }, body };
      });
      await tools.refresh();
      return sendResponse(reply, service.links, answer);
    },
  );
}
