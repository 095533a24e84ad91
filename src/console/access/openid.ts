// Sign-in with the identity provider of the company.

import { writeAudit } from '../../operators/audit.ts';
import { type Identity, type OpenIdConfig, openProvider } from '../../operators/openid.ts';
import { changeRoles, createOperator, findOperator, NAME_LENGTH, type Operator } from '../../operators/operator.ts';
import { html } from '../../pages/html.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import type { Guard } from '../guard.ts';
import type { Entry } from './entry.ts';

const CALLBACK = '/console/openid/callback';

export function addOpenId(guard: Guard, service: Service, { entry, config }: { entry: Entry; config: OpenIdConfig }): void {
  const provider = openProvider(config);
  const callback = () => service.links.url(CALLBACK);

  guard.open('/console/openid', async (request, reply) => {
    const { url, attempt } = await provider.begin(callback()).catch((error: unknown) => {
      request.log.error({ err: error }, 'the identity provider does not answer');
      throw refuse('unavailable', { message: 'The identity provider does not answer. Try again, or use a passkey.' });
    });
    await entry.begin(request, reply, attempt);
    return reply.redirect(url, 303);
  });

  guard.open(CALLBACK, async (request, reply) => {
    const attempt = await entry.take(request, reply, 'openid');
    const find = async () => {
      if (!attempt) return undefined;
      const returned = new URL(`${callback()}?${request.url.split('?')[1] ?? ''}`);
      const identity = await provider.finish(returned, attempt).catch((error: unknown) => {
        request.log.warn({ err: error }, 'a sign-in with OpenID Connect failed');
        return undefined;
      });
      return identity && operatorFor(service, identity);
    };
    await entry.signIn(request, reply, { method: 'openid', find });
    // Not a redirect: after it the browser would not send the new cookie, because the provider is another site.
    return {
      title: 'Signed in',
      main: html`<meta http-equiv="refresh" content="0; url=/console" />
        <p>You are signed in. <a href="/console">Continue to the console</a></p>`,
    };
  });
}

/** The operator with an identity: made at the first sign-in, with the roles of the claim at each. */
async function operatorFor({ database }: Service, identity: Identity): Promise<Operator | undefined> {
  const { sql } = database;
  const { issuer, subject, roles } = identity;
  const known = await findOperator(sql, { identity: { issuer, subject } });
  if (known && roles && roles.join() !== known.roles.join()) {
    await database.transaction(async (tx) => {
      await changeRoles(tx, known.id, roles);
      const detail = { before: known.roles, after: roles };
      const actor = { operatorId: known.id, name: 'identity provider', place: new URL(issuer).host };
      await writeAudit(tx, actor, { action: 'change_roles', resource: { type: 'operator', id: known.id }, detail });
    });
    return { ...known, roles };
  }
  if (known) return known;
  const name = identity.name.slice(0, NAME_LENGTH);
  const member = { roles: roles ?? [], identity: { issuer, subject } };
  // The name of another person may be the same; the subject is unique.
  return (await createOperator(sql, { ...member, name })) ?? createOperator(sql, { ...member, name: `${name} (${subject})` });
}
