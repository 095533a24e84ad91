// Representation on creation (RFC 7240): with `Prefer: return=representation`, the response to a POST has the new resource as GET shows it.
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { Refusal } from '../../core/problems.ts';

/** A preference with its value; parameters after `;` do not change it. The value may be quoted, and names ignore case (RFC 7240 §2). */
const PREFERENCE = /^\s*return\s*=\s*"?([a-z]+)"?\s*(?:;|$)/i;
const APPLIED = 'return=representation';

type Reader = Pick<RouteOptions, 'handler' | 'config'>;

declare module 'fastify' {
  interface FastifyInstance {
    /** The GET routes of single resources, by path. */
    readers: Map<string, Reader>;
  }
}

/** Remembers the GET route of each resource. Must come before the routes. */
export function useRepresentations(app: FastifyInstance): void {
  const readers = new Map<string, Reader>();
  app.decorate('readers', readers);
  app.addHook('onRoute', ({ method, url, handler, config }) => {
    if (method === 'GET' && url.endsWith('/:id')) readers.set(url, { handler, config });
  });
}

/** Whether a request prefers a representation. Of several preferences with one name, the first counts (RFC 7240 §2). */
export function prefersRepresentation({ headers }: FastifyRequest): boolean {
  const values = [headers.prefer ?? []].flat().flatMap((value) => value.split(','));
  const [first] = values.map((value) => PREFERENCE.exec(value)?.[1]).filter((value) => value !== undefined);
  return first?.toLowerCase() === 'representation';
}

/**
 * Returns what GET shows at a path, such as `/labels/0198…`, and sets Preference-Applied. Undefined if the caller may not read it, if it
 * no longer exists, or if it cannot be read now: the preference is then not applied, because the effect of the request is already stored.
 */
export async function representationAt(path: string, reply: FastifyReply): Promise<unknown> {
  const scope = readerOf(path, reply)?.config?.scope;
  if (scope !== undefined && !reply.request.caller.scopes.has(scope)) return undefined;
  const body = await readAt(path, reply);
  if (body !== undefined) reply.header('preference-applied', APPLIED);
  return body;
}

/** Returns what GET shows at a path, whatever the scopes of the caller. Undefined if it no longer exists, or cannot be read now. */
export async function readAt(path: string, reply: FastifyReply): Promise<unknown> {
  const { request, server } = reply;
  const reader = readerOf(path, reply);
  if (!reader) return undefined;
  const reading = Object.create(request, {
    method: { value: 'GET' },
    params: { value: { id: path.slice(path.lastIndexOf('/') + 1) } },
    query: { value: {} },
    body: { value: undefined },
    routeOptions: { value: { ...request.routeOptions, config: reader.config } },
  }) as FastifyRequest;
  try {
    return (await reader.handler.call(server, reading, reply)) as unknown;
  } catch (error) {
    if (!(error instanceof Refusal)) request.log.warn({ err: error }, 'the resource could not be read');
    return undefined;
  }
}

function readerOf(path: string, { server }: FastifyReply): Reader | undefined {
  return server.readers.get(`${path.slice(0, path.lastIndexOf('/') + 1)}:id`);
}
