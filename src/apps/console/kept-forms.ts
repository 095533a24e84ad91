// Forms that were sent after the session had ended: kept in the browser's name, and filled in again after the sign-in. None is sent again
// by itself.
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openRate } from '../../platform/http/rate.ts';
import { sourceOf } from '../../platform/http/source.ts';
import { keep, takeKept } from '../../resources/operators/kept.ts';
import type { Service } from '../service/service.ts';
import type { Cookies } from './cookie.ts';
import { pageOfForm, SIGN_IN } from './return-path.ts';
import { pathOf } from './send.ts';

export type KeptForms = {
  /** Keeps a form, and returns the path of the sign-in. */
  keep(request: FastifyRequest, reply: FastifyReply, fields: URLSearchParams): Promise<string>;
  /** Hands the form of the browser to its new session. Returns the path of the page that fills it in. */
  restore(request: FastifyRequest, reply: FastifyReply, session: string): Promise<string | undefined>;
};

const SECRET_BYTES = 32;
const FORM_SECONDS = 3600;
/** From the sign-in to the page. */
const RESTORED_SECONDS = 60;
/** Forms that an address may send without a session; each is a row for an hour. */
const SENT = { perSecond: 0.1, burst: 20 };
const MESSAGE = 'Your session had ended, so nothing was sent. What you entered is here again: check it, and send it.';

export function openKeptForms({ database: { sql }, sealer }: Pick<Service, 'database' | 'sealer'>, cookies: Cookies): KeptForms {
  const sent = openRate(SENT);
  return {
    async keep(request, reply, fields) {
      const page = pageOfForm(request);
      const signIn = `${SIGN_IN}?${new URLSearchParams({ to: page })}`;
      if (sent.take(sourceOf(request.ip)) > 0) return signIn;
      const cookie = randomBytes(SECRET_BYTES).toString('base64url');
      const kept = { form: { action: pathOf(request), page, fields: [...fields] }, message: MESSAGE };
      const id = await keep(sql, sealer, kept, { cookie, seconds: FORM_SECONDS });
      cookies.set(reply, 'form', { secret: `${cookie}.${id}`, seconds: FORM_SECONDS });
      return `${signIn}&form=kept`;
    },
    async restore(request, reply, session) {
      const [cookie, id] = cookies.read(request, 'form')?.split('.') ?? [];
      if (!cookie || !id) return undefined;
      cookies.clear(reply, 'form');
      const kept = await takeKept(sql, sealer, { cookie, id });
      return (
        kept?.form && withKept(kept.form.page, await keep(sql, sealer, kept, { cookie: session, seconds: RESTORED_SECONDS }))
      );
    },
  };
}

/** The address of a page that takes what was kept. */
export function withKept(path: string, id: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}kept=${id}`;
}
