// Requests without a verified token: limited per address, and queued so that they do not delay requests with one.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, refuse } from '../../core/problems.ts';
import { openConcurrencyLimit } from '../../platform/http/concurrency-limit.ts';
import type { PacedQueue } from '../../platform/http/paced-queue.ts';
import { sourceOf } from '../../platform/http/source.ts';

export type Anonymous = {
  /** Calls `done` when the request may proceed, or with a refusal. */
  admit(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Refusal) => void): void;
};

/** At most `maxRequests` are in flight; one address may use as many slots as are free. Requests with a verified token need no slot. */
export function openAnonymous(maxRequests: number, queue: PacedQueue): Anonymous {
  const limit = openConcurrencyLimit(maxRequests);
  return {
    admit(request, reply, done) {
      const address = sourceOf(request.ip);
      const release = limit.acquire(address);
      if (typeof release === 'string') {
        // Makes a refused client pay for a new connection.
        reply.header('connection', 'close');
        return done(refuse(release));
      }
      reply.raw.on('close', release);
      queue.add(address, () => {
        if (!reply.raw.closed) done();
      });
    },
  };
}
