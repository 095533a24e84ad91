// Access to the console: finds the person of a request, checks what they may do, and answers with pages.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../http/route.ts';
import { writeAudit } from '../operators/audit.ts';
import { may, type Permission } from '../operators/role.ts';
import { findSession, type Person } from '../operators/session.ts';
import { html } from '../pages/html.ts';
import { withPageHeaders } from '../pages/policy.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';
import type { Cookies } from './cookie.ts';
import { writeEntrance, writeScreen } from './layout.ts';
import { requireOwnForm } from './origin.ts';
import type { Content, Pages, PrivateFile, Visit } from './screen.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The person who is signed in, on pages of the console. */
    person: Person | undefined;
  }
}

export const SIGN_IN = '/console/sign-in';
const ROUTE = { config: { public: true, plain: true }, schema: { hide: true } } as const;
/** Pages to which a person returns after the sign-in. */
const RETURN = /^\/console(\/[a-z0-9-]+)*$/;
const FILE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";
const FORM_MAX_BYTES = 16 * 1024;

export type Guard = Pages & {
  /** A page without a person. */
  open(path: string, show: (request: FastifyRequest, reply: FastifyReply) => Promise<Content | FastifyReply>): void;
  /** A form or a JSON call without a person. */
  receive(path: string, act: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): void;
  /** The person of a request; refuses when nobody is signed in. */
  requirePerson(request: FastifyRequest): Promise<Person>;
};

export function openGuard(app: App, service: Service, cookies: Cookies): Guard {
  const { database, sealer, config } = service;
  app.decorateRequest('person');
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_MAX_BYTES },
    (_request, body, done) => done(null, textsIn(body as string)),
  );
  const personOf = async (request: FastifyRequest) => {
    request.person = await findSession(database.sql, sealer, cookies.read(request, 'session'));
    return request.person;
  };
  const requirePerson = async (request: FastifyRequest) => {
    const person = await personOf(request);
    if (!person) throw refuse('forbidden', { message: 'Your session has ended. Sign in again.' });
    return person;
  };
  return {
    requirePerson,
    page(path, permission, show) {
      app.get(path, ROUTE, async (request, reply) => {
        const person = await personOf(request);
        if (!person) return askToSignIn(service, request, reply);
        const visit = visitOf(service, request, { person, permission });
        const content = await show(visit);
        if (!content) throw refuse('notFound');
        return sendPage(reply, await writeScreen(service, { ...visit, path: pathOf(request) }, content));
      });
    },
    action(path, permission, act) {
      app.post(path, ROUTE, async (request, reply) => {
        requireOwnForm(request, config.publicUrl!);
        const visit = visitOf(service, request, { person: await requirePerson(request), permission });
        return reply.redirect(await act(visit, formOf(request)), 303);
      });
    },
    file(path, permission, open) {
      app.get(path, ROUTE, async (request, reply) => {
        const file = await open(visitOf(service, request, { person: await requirePerson(request), permission }));
        if (!file) throw refuse('notFound');
        return sendPrivately(reply, file);
      });
    },
    reveal(path, permission, act) {
      app.post(path, ROUTE, async (request, reply) => {
        requireOwnForm(request, config.publicUrl!);
        const visit = visitOf(service, request, { person: await requirePerson(request), permission });
        const content = await act(visit, formOf(request));
        return sendPage(reply, await writeScreen(service, { ...visit, path: pathOf(request) }, content));
      });
    },
    open(path, show) {
      app.get(path, ROUTE, async (request, reply) => {
        const content = await show(request, reply);
        return 'main' in content ? sendPage(reply, writeEntrance(service, content)) : content;
      });
    },
    receive(path, act) {
      app.post(path, ROUTE, async (request, reply) => {
        requireOwnForm(request, config.publicUrl!);
        return act(request, reply);
      });
    },
  };
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return withPageHeaders(reply).header('cross-origin-resource-policy', 'same-origin').type('text/html; charset=utf-8').send(page);
}

function sendPrivately(reply: FastifyReply, { mediaType, content, name }: PrivateFile): FastifyReply {
  return withPageHeaders(reply)
    .header('content-security-policy', FILE_POLICY)
    .header('cross-origin-resource-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .header('content-disposition', name === undefined ? 'inline' : `attachment; filename="${name}"`)
    .type(mediaType)
    .send(content);
}

/** Parses a form or query. Leaves out NUL characters, which the database cannot store. */
function textsIn(encoded: string): URLSearchParams {
  return new URLSearchParams(encoded.replaceAll('%00', ''));
}

/** The fields of a form; none without a body. */
function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

/** The page of the console that a text names, or its first page: an attacker's link must not lead elsewhere. */
export function returnPath(text: string | null): string {
  return text !== null && RETURN.test(text) ? text : '/console';
}

export function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0]!;
}

/** Creates the visit of a person. Refuses when they may not do this. */
function visitOf(
  { database, log }: Pick<Service, 'database' | 'log'>,
  request: FastifyRequest,
  { person, permission }: { person: Person; permission: Permission },
): Visit {
  const mayDo = (wanted: Permission) => may(person.roles, wanted);
  if (!mayDo(permission)) {
    log.info({ operator: person.id, permission }, 'console: not permitted');
    throw refuse('forbidden', { message: 'Your roles do not allow this. Ask an administrator.' });
  }
  const actor = { operatorId: person.id, name: person.name, place: request.ip };
  return {
    person,
    place: request.ip,
    params: request.params as Record<string, string>,
    query: textsIn(request.url.slice(pathOf(request).length)),
    may: mayDo,
    audit: (act, tx = database.sql) => writeAudit(tx, actor, act),
  };
}

/**
 * A session cookie does not come with a link of another site, such as a mail program or an identity provider. Then a page of
 * the console loads the same address again, now with the cookie.
 */
function askToSignIn(service: Service, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = pathOf(request);
  if (request.headers['sec-fetch-site'] !== 'cross-site') {
    return reply.redirect(path === '/console' ? SIGN_IN : `${SIGN_IN}?to=${encodeURIComponent(path)}`, 303);
  }
  const main = html`<meta http-equiv="refresh" content="0" />
    <p><a href=${request.url}>Continue to the console</a></p>`;
  return sendPage(reply, writeEntrance(service, { title: 'Console', main }));
}
