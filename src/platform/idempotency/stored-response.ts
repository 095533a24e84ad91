// The answer to a request that creates or changes a resource, and how it is sent.
import type { FastifyReply } from 'fastify';
import type { Resource } from '../../core/ids.ts';
import { type Links, pathOf } from '../http/links.ts';
import { prefersRepresentation, representationAt } from '../http/representation.ts';

/** `resource` is the one that Location names; `made` is its time, if that is not now. */
export type StoredResponse = { status: number; resource: Resource; body?: unknown; replayed?: boolean; made?: Date };

/**
 * Sends an answer, with Idempotent-Replayed if it is a repetition. For a new resource, the body is as GET shows it now if the request
 * prefers that, and else empty.
 */
export async function sendResponse(reply: FastifyReply, links: Links, answer: StoredResponse): Promise<FastifyReply> {
  const { status, resource, replayed } = answer;
  reply.code(status);
  if (status === 201) reply.header('location', links.locate(resource));
  if (replayed) reply.header('idempotent-replayed', 'true');
  const isWanted = status === 201 && prefersRepresentation(reply.request);
  return reply.send(
    isWanted ? ((await representationAt(pathOf(resource.type, resource.id), reply)) ?? answer.body) : answer.body,
  );
}
