// Lets planned faults happen to calls: before them, or to their answers.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';
import { ANSWERS, type PlannedFault } from './fault.ts';
import type { Rehearsal } from './rehearsal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is to happen to the answer. */
    plannedFault: PlannedFault | undefined;
  }
}

// What a sandbox offers itself never fails: it is the way out.
const SPARED = 'sandbox';
const PUBLIC = 'createToken';

/** Installs the hooks; after authentication, as a fault is an account's, and before the doors. */
export function usePlannedFaults(app: App, rehearsal: Rehearsal): void {
  app.decorateRequest('plannedFault', undefined);
  app.addHook('onRoute', ({ schema, config }) => {
    if (!schema?.operationId || schema.tags?.includes(SPARED)) return;
    if (!config?.public || schema.operationId === PUBLIC) rehearsal.operations.add(schema.operationId);
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.caller || !rehearsal.expects(request, request.caller.accountId)) return done();
    rehearsal.meet(request, reply, request.caller.accountId).then(() => done(), done);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const fault = request.plannedFault;
    if (!fault) return done(null, payload);
    request.plannedFault = undefined;
    if (fault.cut) return cut(reply);
    for (const name of ['location', 'etag', 'idempotent-replayed']) reply.removeHeader(name);
    done(refuse(ANSWERS[fault.status!]!));
  });
}

/** What happens before a call; the rest is left to its answer. */
export async function happen(fault: PlannedFault, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (fault.delayMs > 0) await sleep(fault.delayMs);
  if (fault.status === null && !fault.cut) return;
  if (fault.effect) request.plannedFault = fault;
  else if (fault.cut) cut(reply);
  else throw refuse(ANSWERS[fault.status!]!);
}

/** Closes the connection without an answer. */
function cut(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.destroy();
}
