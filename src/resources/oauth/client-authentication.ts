// Client authentication (RFC 6749 §2.3, RFC 7523): by a secret or by an assertion. Failed attempts are limited over all endpoints.
import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { sourceOf } from '../../platform/http/source.ts';
import type { Peers } from '../../platform/worker-coordination.ts';
import type { Application } from './application.ts';
import { openAttempts } from './attempts.ts';
import type { Authority } from './authority.ts';
import { type Form, readCredentials } from './client.ts';
import { OAuthError } from './oauth-error.ts';

export type Authenticate = (request: FastifyRequest, form: Form) => Promise<Application>;

type Tools = { authority: Authority; config: Pick<Config, 'tokenFailuresPerMinute'>; peers: Peers | undefined };

export function openAuthentication({ authority, config, peers }: Tools): Authenticate {
  const attempts = openAttempts(config.tokenFailuresPerMinute, { name: 'client authentication', peers });
  return async (request, form) => {
    const credentials = readCredentials(request.headers.authorization, form);
    const succeed = attempts.begin(credentials.clientId, sourceOf(request.ip));
    const application = await authority.authenticate(credentials);
    if (!application) throw new OAuthError('invalid_client', 'Client authentication failed.');
    succeed();
    request.current.application = application.id;
    return application;
  };
}
