// Access to the console: asks for a sign-in, checks the origin of forms, and answers with pages.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isId } from '../../core/ids.ts';
import { problems, Refusal, refuse } from '../../core/problems.ts';
import type { App } from '../../platform/http/route.ts';
import { html } from '../../platform/pages/html.ts';
import type { Person } from '../../resources/operators/session.ts';
import type { Service } from '../service/service.ts';
import type { Cookies } from './cookie.ts';
import { readFileForm } from './file-form.ts';
import type { KeptForms } from './kept-forms.ts';
import { writeEntrance, writeScreen } from './layout.ts';
import { returnPath, SIGN_IN } from './return-path.ts';
import type { Content, NextPage, Pages, Visit } from './screen.ts';
import { pathOf, sendPage, sendPrivately } from './send.ts';
import { formOf, openVisits, parseForm } from './visit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The person who is signed in, on pages of the console. */
    person: Person | undefined;
  }
}

const ROUTE = { config: { public: true, plain: true }, schema: { hide: true } } as const;
const FORM_MAX_BYTES = 16 * 1024;
/** From one look at a list to the next; spread, so that pages do not ask together after a restart. */
const LIVE_EVERY_MS = 15_000;
const LIVE_SPREAD_MS = 5_000;
/** More new rows are not counted. */
const LIVE_MAX = 100;
const FILE_MAX_BYTES = 4 * 1024 * 1024;

export type Guard = Pages & {
  /** A page without a person. Without content, `show` has sent the response: a promise of a FastifyReply would wait for its end. */
  open(path: string, show: (request: FastifyRequest, reply: FastifyReply) => Promise<Content | undefined>): void;
  /** A form or a JSON call without a person. */
  receive(path: string, act: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): void;
  /** The person of a request; refuses when nobody is signed in. */
  requirePerson(request: FastifyRequest): Promise<Person>;
};

export function openGuard(app: App, service: Service, { cookies, forms }: { cookies: Cookies; forms: KeptForms }): Guard {
  const { publicUrl } = service.config;
  const visits = openVisits(service, cookies);
  const pages = new Map<string, Parameters<Pages['page']>[2]>();
  app.decorateRequest('person');
  acceptForms(app);

  type Work = { visit: Visit; form: URLSearchParams; act: () => Promise<string | NextPage>; from: string | undefined };

  /** Redirects to the next page, or shows the page of the form again with the message of a refusal. */
  async function perform(request: FastifyRequest, reply: FastifyReply, { visit, form, act, from }: Work): Promise<FastifyReply> {
    try {
      return reply.redirect(await visits.addressOf(request, await act()), 303);
    } catch (error) {
      const show = from === undefined ? undefined : pages.get(from);
      if (!show || !isRefusedForm(error)) throw error;
      const page = pathOf(request);
      const again = { ...visit, kept: { message: error.message, form: { action: page, page, fields: [...form] } } };
      const content = await show(again);
      if (!content) throw error;
      reply.refusal = { code: problems[error.problem].code };
      return sendPage(reply.code(problems[error.problem].status), await writeScreen(service, again, { path: page, content }));
    }
  }

  return {
    requirePerson: visits.requirePerson,
    page(path, permission, show) {
      pages.set(path, show);
      app.get(path, ROUTE, async (request, reply) => {
        const person = await visits.personOf(request);
        if (!person) return askToSignIn(service, request, reply);
        const visit = await visits.withKept(request, visits.visitOf(request, person, permission));
        const content = await show(visit);
        if (!content) throw refuse('notFound');
        return sendPage(reply, await writeScreen(service, visit, { path: pathOf(request), content }));
      });
    },
    action(path, permission, act, options) {
      app.post(path, ROUTE, async (request, reply) => {
        requireOwnForm(request, publicUrl!);
        const person = await visits.personOf(request);
        const form = formOf(request);
        const shown = options?.isPrivate ? without(form, options.isPrivate) : form;
        if (!person) return reply.redirect(await forms.keep(request, reply, shown), 303);
        const visit = visits.visitOf(request, person, permission);
        return perform(request, reply, { visit, form: shown, act: () => act(visit, form), from: options?.from });
      });
    },
    upload(path, permission, act, { from }) {
      const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
        requireOwnForm(request, publicUrl!);
        const person = await visits.personOf(request);
        if (!person) return reply.redirect(`${SIGN_IN}?${new URLSearchParams({ to: from, form: 'files' })}`, 303);
        visits.visitOf(request, person, permission);
      };
      app.post(path, { ...ROUTE, bodyLimit: FILE_MAX_BYTES, onRequest }, async (request, reply) => {
        const visit = visits.visitOf(request, request.person!, permission);
        const { form, files } = await readFileForm(request);
        return perform(request, reply, { visit, form, act: () => act(visit, form, files), from });
      });
    },
    file(path, permission, open) {
      app.get(path, ROUTE, async (request, reply) => {
        const isLink = request.headers['sec-fetch-dest'] === 'document';
        const person = isLink ? await visits.personOf(request) : await visits.requirePerson(request);
        if (!person) return askToSignIn(service, request, reply);
        const file = await open(visits.visitOf(request, person, permission));
        if (!file) throw refuse('notFound');
        return sendPrivately(reply, file);
      });
    },
    live(path, permission, count) {
      app.get(path, ROUTE, async (request, reply) => {
        const person = await visits.personOf(request, { isQuiet: true });
        // Browsers do not ask again after 204 (Server-Sent Events, §9.2.3).
        if (!person) return reply.code(204).send();
        const after = visits.visitOf(request, person, permission).query.get('after') ?? '';
        if (!isId(after)) throw refuse('badRequest');
        const news = await count({ after, most: LIVE_MAX });
        const retryMs = LIVE_EVERY_MS + Math.round(Math.random() * LIVE_SPREAD_MS);
        return reply
          .header('cache-control', 'no-store')
          .type('text/event-stream; charset=utf-8')
          .send(`retry: ${retryMs}\ndata: ${news}\n\n`);
      });
    },
    open(path, show) {
      app.get(path, ROUTE, async (request, reply) => {
        const content = await show(request, reply);
        return content ? sendPage(reply, writeEntrance(service, content)) : reply;
      });
    },
    receive(path, act) {
      app.post(path, ROUTE, async (request, reply) => {
        requireOwnForm(request, publicUrl!);
        return act(request, reply);
      });
    },
  };
}

/** What may be kept for a form that is shown again. */
function without(form: URLSearchParams, isPrivate: (name: string, value: string) => boolean): URLSearchParams {
  return new URLSearchParams([...form].filter(([name, value]) => !isPrivate(name, value)));
}

function acceptForms(app: App): void {
  const options = { parseAs: 'string', bodyLimit: FORM_MAX_BYTES } as const;
  app.addContentTypeParser('application/x-www-form-urlencoded', options, async (_request: FastifyRequest, body: string) =>
    parseForm(body),
  );
  // A route with files says how much more it takes.
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: FORM_MAX_BYTES },
    async (_request: FastifyRequest, body: Buffer) => body,
  );
}

/** Whether the person can correct the form: not when the record does not exist, or the service does not answer. */
function isRefusedForm(error: unknown): error is Refusal {
  return error instanceof Refusal && [400, 403, 409].includes(problems[error.problem].status);
}

/**
 * A session cookie does not come with a link of another site, such as a mail program or an identity provider. Then a page of
 * the console loads the same address again, now with the cookie.
 */
function askToSignIn(service: Service, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const to = returnPath(request.url);
  if (request.headers['sec-fetch-site'] !== 'cross-site') {
    return reply.redirect(to === '/console' ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ to })}`, 303);
  }
  const main = html`<meta http-equiv="refresh" content="0" />
    <p><a href=${request.url}>Continue to the console</a></p>`;
  return sendPage(reply, writeEntrance(service, { title: 'Console', main }));
}

const REFUSED = 'This form was not sent by a page of the console. Open the page again and repeat the step.';

/**
 * Refuses a form of another origin. Browsers send Sec-Fetch-Site to https and to localhost, and Origin with every form; a request without
 * both is not from a page.
 */
function requireOwnForm({ headers }: FastifyRequest, publicUrl: string): void {
  const { 'sec-fetch-site': site, origin, host } = headers;
  const isOwn = site === undefined ? isOwnOrigin(origin, host, publicUrl) : site === 'same-origin';
  if (!isOwn) throw refuse('forbidden', { message: REFUSED });
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  return origin !== undefined && (origin === publicUrl || (URL.canParse(origin) && new URL(origin).host === host));
}
