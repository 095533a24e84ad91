// The page to which a person returns: after a sign-in, and after a form that was refused.
import type { FastifyRequest } from 'fastify';

export const SIGN_IN = '/console/sign-in';

/** Visible ASCII characters: the path becomes a header and a cookie. */
const VISIBLE = /^[!-~]{1,1000}$/;
const PAGE = /^\/console(?:\/[A-Za-z0-9._-]+)*$/;
const OF_SIGN_IN = /^\/console\/(?:sign-in|sign-out|link|openid|passkeys)(?:\/|$)/;
/** Parameters that belong to one visit. */
const OF_ONE_VISIT = ['done', 'kept'];
const ANY_ORIGIN = 'http://console.invalid';

/** The page of the console that a text names, or its first page: an attacker's link must not lead elsewhere. */
export function returnPath(text: string | null | undefined): string {
  if (!text || !VISIBLE.test(text) || !URL.canParse(text, ANY_ORIGIN)) return '/console';
  const { origin, pathname, searchParams } = new URL(text, ANY_ORIGIN);
  if (origin !== ANY_ORIGIN || !PAGE.test(pathname) || OF_SIGN_IN.test(pathname)) return '/console';
  for (const name of OF_ONE_VISIT) searchParams.delete(name);
  return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
}

/** The page that a form was sent from, or the first page. Of the address only the path counts: the form is of this origin. */
export function pageOfForm({ headers: { referer } }: FastifyRequest): string {
  if (!referer || !URL.canParse(referer)) return '/console';
  const { pathname, search } = new URL(referer);
  return returnPath(pathname + search);
}
