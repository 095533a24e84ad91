// Cross-site request forgery: only pages of this service may send the forms of the console.
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../core/problems.ts';

const REFUSED = 'This form was not sent by a page of the console. Open the page again and repeat the step.';

/**
 * Refuses a form of another origin. Browsers send Sec-Fetch-Site to https and to localhost, and Origin with every form; a request without
 * both is not from a page.
 */
export function requireOwnForm({ headers }: FastifyRequest, publicUrl: string): void {
  const { 'sec-fetch-site': site, origin, host } = headers;
  const isOwn = site === undefined ? isOwnOrigin(origin, host, publicUrl) : site === 'same-origin';
  if (!isOwn) throw refuse('forbidden', { message: REFUSED });
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  return origin !== undefined && (origin === publicUrl || (URL.canParse(origin) && new URL(origin).host === host));
}
