// The answer to a request that creates or changes a resource, and how it is sent.
import type { FastifyReply } from 'fastify';
import type { Resource } from '../../core/ids.ts';
import type { Links } from '../http/links.ts';

/** `resource` is the one that Location names; `made` is its time, if that is not now. */
export type StoredResponse = { status: number; resource: Resource; body?: unknown; replayed?: boolean; made?: Date };

/** Sends an answer, with Idempotent-Replayed if it is a repetition. */
export function sendResponse(reply: FastifyReply, links: Links, answer: StoredResponse) {
  reply.code(answer.status);
  if (answer.status === 201) reply.header('location', links.locate(answer.resource));
  if (answer.replayed) reply.header('idempotent-replayed', 'true');
  return reply.send(answer.body);
}
