// Runs the work of a request once per Idempotency-Key and sends the answer.
import type { FastifyReply } from 'fastify';
import type { Sql } from '../db/sql.ts';
import type { Links } from '../http/links.ts';
import { idempotently } from './idempotently.ts';
import { type StoredResponse, sendResponse } from './stored-response.ts';

type Used = Parameters<typeof idempotently>[0] & { links: Links };

/** See idempotently and sendResponse. */
export async function replyOnce(
  service: Used,
  reply: FastifyReply,
  bucket: number,
  work: (tx: Sql) => Promise<StoredResponse>,
): Promise<FastifyReply> {
  return sendResponse(reply, service.links, await idempotently(service, reply.request, bucket, work));
}
