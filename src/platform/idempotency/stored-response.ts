// The answer to a request that creates or changes a resource, and how it is sent.
import type { FastifyReply } from 'fastify';
import type { Resource } from '../../core/ids.ts';
import { type Links, pathOf } from '../http/links.ts';
import { prefersRepresentation, readAt, representationAt } from '../http/representation.ts';

/** `resource` is the one that Location names; `made` is its time, if that is not now. */
export type StoredResponse = { status: number; resource: Resource; body?: unknown; replayed?: boolean; made?: Date };

/**
 * Sends an answer, with Idempotent-Replayed if it is a repetition. For a new resource, the body is as GET shows it now if the request
 * prefers that, and else empty. A repetition whose body was erased gets the body that GET shows now.
 */
export async function sendResponse(reply: FastifyReply, links: Links, answer: StoredResponse): Promise<FastifyReply> {
  const { status, resource, replayed } = answer;
  reply.code(status);
  if (status === 201) reply.header('location', links.locate(resource));
  if (replayed) reply.header('idempotent-replayed', 'true');
  const path = pathOf(resource.type, resource.id);
  if (status === 201 && prefersRepresentation(reply.request))
    return reply.send((await representationAt(path, reply)) ?? answer.body);
  const isErased = status === 200 && replayed && answer.body === undefined;
  return reply.send(isErased ? await readAt(path, reply) : answer.body);
}
