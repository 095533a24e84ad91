// Sends pages and private files with their security headers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withPageHeaders } from '../../platform/pages/policy.ts';
import type { PrivateFile } from './screen.ts';

const FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return withPageHeaders(reply).header('cross-origin-resource-policy', 'same-origin').type('text/html; charset=utf-8').send(page);
}

export function sendPrivately(reply: FastifyReply, { mediaType, content, name }: PrivateFile): FastifyReply {
  return withPageHeaders(reply)
    .header('content-security-policy', FILE_POLICY)
    .header('cross-origin-resource-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .header('content-disposition', name === undefined ? 'inline' : `attachment; filename="${name}"`)
    .type(mediaType)
    .send(content);
}

export function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0]!;
}
