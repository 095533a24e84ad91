// The token of the sandbox for the page at /docs: given to that page alone, in a browser on the machine of the service.
import type { FastifyRequest } from 'fastify';
import { isLocal } from '../http/local-caller.ts';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';
import { readCredentials, sandboxFile } from '../sandbox/credentials.ts';
import type { Service } from '../service.ts';

/** Hosts that lead to the machine of the caller whatever DNS says, with any port. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/;
const TTL_SECONDS = 900;
const REFUSED = 'Without credentials a token is only for the page at /docs, in a browser on the machine of the service.';

/** Only in a sandbox; elsewhere the path is unknown. */
export function sandboxTokenRoute(app: App, { config, authority, metrics }: Service): void {
  if (config.mode !== 'sandbox') return;
  app.post('/docs/token', { config: { public: true, plain: true }, schema: { hide: true } }, async (request) => {
    if (!isOwnPage(request, config.publicUrl)) {
      throw refuse('forbidden', { message: REFUSED });
    }
    const own = readCredentials(sandboxFile(config));
    const application = own && (await authority.authenticate({ clientId: own.client_id, secrets: [own.client_secret] }));
    if (!application) throw refuse('forbidden', { message: 'The credentials in sandbox.json are not valid any more.' });
    metrics.tokensIssued.add();
    return authority.issue(application, application.scopes, TTL_SECONDS);
  });
}

/**
 * Whether a page of this service asks, on a machine that serves nobody else. A page of another origin has another Origin; a name that
 * an attacker leads to loopback (DNS rebinding) is another Host; another machine has another address; and where PUBLIC_URL is not on
 * loopback, a proxy may make everybody look local.
 */
function isOwnPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  const isPrivate = publicUrl !== undefined && LOOPBACK_HOST.test(new URL(publicUrl).host);
  return isPrivate && isLocal(request) && LOOPBACK_HOST.test(host) && origin === `http://${host}` && site === 'same-origin';
}
