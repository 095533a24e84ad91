// Issues a sandbox token to the page at /docs, only in a browser on the machine of the service.
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../core/problems.ts';
import { isLocal } from '../../platform/http/local-caller.ts';
import { readExamples } from '../../platform/http/openapi/examples.ts';
import type { App } from '../../platform/http/route.ts';
import type { Application } from '../../resources/oauth/application.ts';
import type { Authority } from '../../resources/oauth/authority.ts';
import { OAuthError } from '../../resources/oauth/oauth-error.ts';
import { type Credentials, readCredentials, sandboxFile } from '../sandbox/credentials.ts';
import type { Service } from '../service/service.ts';

/** Hosts that always resolve to the caller's machine, with any port. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/;
const TTL_SECONDS = 900;
const REFUSED = 'Only the page at /docs, in a browser on the machine of the service, can get a token without credentials.';

/** Adds the route in a sandbox only. */
export function sandboxTokenRoute(
  app: App,
  { config, authority, metrics, links }: Pick<Service, 'config' | 'authority' | 'metrics' | 'links'>,
): void {
  if (config.mode !== 'sandbox') return;
  app.post('/docs/token', { config: { public: true, plain: true }, schema: { hide: true } }, async (request) => {
    if (!isOwnPage(request, config.publicUrl)) {
      throw refuse('forbidden', { message: REFUSED });
    }
    const credentials = readCredentials(sandboxFile(config));
    const application = credentials && (await authenticate(authority, credentials));
    if (!application) throw refuse('forbidden', { message: 'The credentials in sandbox.json are not valid any more.' });
    metrics.tokensIssued.add();
    return {
      ...(await authority.issue(application, application.scopes, { ttlSeconds: TTL_SECONDS })),
      ...idsOf(credentials, links.mediaType),
    };
  });
}

/** An application that was secured has no use of its secret, or none of a token that is bound to nothing. */
async function authenticate(authority: Authority, { client_id, client_secret }: Credentials): Promise<Application | undefined> {
  const known = authority.authenticate({ clientId: client_id, secrets: [client_secret] });
  const application = await known.catch((error: unknown) => {
    if (!(error instanceof OAuthError)) throw error;
    throw refuse('forbidden', { message: `The credentials in sandbox.json are refused. ${error.message}` });
  });
  if (application?.requiredBinding)
    throw refuse('forbidden', { message: 'The application in sandbox.json must bind its tokens, which this page does not.' });
  return application;
}

/** The ids of this sandbox: by the ids in the examples that they replace, and by collection. */
function idsOf({ account_id, client_id, customer, labels }: Credentials, mediaType: string) {
  const { sandbox } = readExamples(mediaType);
  const idIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);
  const [from, to] = [idIn(labels[0]), idIn(labels[1])];
  const ids = [
    [sandbox.account_id, account_id],
    [sandbox.client_id, client_id],
    [idIn(sandbox.customer), idIn(customer)],
    [idIn(sandbox.labels[0]), from],
    [idIn(sandbox.labels[1]), to],
  ];
  return { ids, own: { accounts: account_id, customers: idIn(customer), labels: from, customer: idIn(customer), from } };
}

/**
 * Returns whether the request comes from a page of this service on this machine. Origin excludes other pages, Host excludes names
 * that an attacker resolves to loopback (DNS rebinding), and the address excludes other machines. PUBLIC_URL must be on loopback,
 * as behind a proxy every caller may look local.
 */
function isOwnPage(request: FastifyRequest, publicUrl: string | undefined): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  const isPrivate = publicUrl !== undefined && LOOPBACK_HOST.test(new URL(publicUrl).host);
  return isPrivate && isLocal(request) && LOOPBACK_HOST.test(host) && origin === `http://${host}` && site === 'same-origin';
}
