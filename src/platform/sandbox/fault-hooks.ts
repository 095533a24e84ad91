// Fault hooks: inject planned faults before a handler runs or into its response.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../core/problems.ts';
import { prepareRefusal } from '../http/errors.ts';
import type { Links } from '../http/links.ts';
import type { App } from '../http/route.ts';
import { ANSWERS, type PlannedFault, TOKEN_OPERATION } from './fault.ts';

/** What the hooks need of the sandbox tools. */
type FaultInjection = {
  operations: Set<string>;
  mayHaveFault(request: FastifyRequest, accountId: string): boolean;
  injectFault(request: FastifyRequest, reply: FastifyReply, accountId: string): Promise<void>;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The fault to inject into the response. */
    plannedFault: PlannedFault | undefined;
  }
}

// The sandbox operations themselves never fail: an account uses them to remove its faults.
const EXEMPT_TAG = 'sandbox';

/** Headers of the answer that a fault replaces. */
const REMOVED = ['location', 'etag', 'idempotent-replayed', 'retry-after', 'www-authenticate'];

/** Installs the hooks. Call it after authentication, because faults belong to accounts, and before the routes. */
export function usePlannedFaults(app: App, tools: FaultInjection, links: Links): void {
  app.decorateRequest('plannedFault', undefined);
  app.addHook('onRoute', ({ schema, config }) => {
    if (!schema?.operationId || schema.tags?.includes(EXEMPT_TAG)) return;
    if (!config?.public || schema.operationId === TOKEN_OPERATION) tools.operations.add(schema.operationId);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.caller || !tools.mayHaveFault(request, request.caller.accountId)) return done();
    tools.injectFault(request, reply, request.caller.accountId).then(() => done(), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const fault = request.plannedFault;
    if (!fault) return done(null, payload);
    request.plannedFault = undefined;
    if (fault.cut) return cut(reply);
    for (const name of REMOVED) reply.removeHeader(name);
    const refusal = refuse(ANSWERS[fault.status!]!);
    if (!reply.refusal) return done(refusal);
    // The error handler has answered already. It is not called twice.
    done(null, JSON.stringify(prepareRefusal(refusal, request, reply, links)));
  });
}

/** Delays the request, then refuses it or cuts its connection. A fault with `effect` is left to the `onSend` hook. */
export async function injectFault(fault: PlannedFault, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (fault.delayMs > 0) await sleep(fault.delayMs);
  if (fault.status === null && !fault.cut) return;
  if (fault.effect) request.plannedFault = fault;
  else if (fault.cut) cut(reply);
  else throw refuse(ANSWERS[fault.status!]!);
}

/** Closes the connection without a response. */
function cut(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.destroy();
}
