// Requests that carry no verified token: bounded for each address, and queued so that they do not delay those that carry one.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PacedQueue } from '../http/paced-queue.ts';
import { openPlaces } from '../http/places.ts';
import { type Refusal, refuse } from '../problems.ts';

export type Anonymous = {
  /** Calls `done` when the request may go on, or with its refusal. */
  admit(request: FastifyRequest, reply: FastifyReply, done: (refusal?: Refusal) => void): void;
};

/** At most `maxRequests` are under way at once; one address has half of what is free. Requests with a verified token need none of it. */
export function openAnonymous(maxRequests: number, queue: PacedQueue): Anonymous {
  const places = openPlaces(maxRequests);
  return {
    admit(request, reply, done) {
      const address = request.ip ?? '';
      const leave = places.take(address);
      if (typeof leave === 'string') {
        // Whoever is refused pays for a new connection.
        reply.header('connection', 'close');
        return done(refuse(leave));
      }
      reply.raw.on('close', leave);
      queue.add(address, () => {
        if (!reply.raw.closed) done();
      });
    },
  };
}
