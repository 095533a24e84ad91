// Sign-in with the identity provider of the company.
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../../core/problems.ts';
import { type Act, type Actor, IDENTITY_PROVIDER, writeAudit } from '../../../ledger/audit/audit.ts';
import type { Database } from '../../../platform/db/sql.ts';
import { html } from '../../../platform/pages/html.ts';
import { type Identity, type OpenIdConfig, openProvider } from '../../../resources/operators/openid.ts';
import { changeRoles, createOperator, findOperator, type Operator, rolesGivenBy } from '../../../resources/operators/operator.ts';
import { ROLES } from '../../../resources/operators/role.ts';
import type { Service } from '../../service/service.ts';
import type { Guard } from '../guard.ts';
import { SIGN_IN } from '../return-path.ts';
import { type Entry, REFUSED } from './entry.ts';

const CALLBACK = '/console/openid/callback';
const ASSIGNED_HERE = 'An administrator of the console can assign one to you under People.';

export function addOpenId(guard: Guard, service: Service, { entry, config }: { entry: Entry; config: OpenIdConfig }): void {
  const provider = openProvider(config);
  const callback = () => service.links.url(CALLBACK);

  guard.open('/console/openid', async (request, reply) => {
    const to = queryOf(request).get('to') ?? undefined;
    if (!isOwnLink(request)) {
      reply.redirect(SIGN_IN, 303);
      return undefined;
    }
    const { url, attempt } = await provider.begin(callback()).catch((error: unknown) => {
      request.log.error({ err: error }, 'the identity provider does not answer');
      throw refuse('unavailable', { message: 'The identity provider does not answer. Try again, or use a passkey.' });
    });
    await entry.begin(request, reply, { ...attempt, to });
    reply.redirect(url, 303);
    return undefined;
  });

  guard.open(CALLBACK, async (request, reply) => {
    const attempt = await entry.take(request, reply, 'openid');
    // Not counted and not in the audit log: any site can make a browser send this request, for example by a picture.
    if (!attempt) throw refuse('forbidden', { message: REFUSED });
    let identity: Identity | undefined;
    const find = async () => {
      const returned = new URL(`${callback()}?${queryOf(request)}`);
      identity = await provider.finish(returned, attempt).catch((error: unknown) => {
        request.log.warn({ err: error }, 'a sign-in with OpenID Connect failed');
        return undefined;
      });
      return identity && operatorFor(service, identity);
    };
    const withoutRole = () => (identity?.roles ? rolesOfProvider(config) : ASSIGNED_HERE);
    const to = await entry.signIn(request, reply, { method: 'openid', find, to: attempt.to, withoutRole });
    // Not a redirect: after it the browser would not send the new cookie, because the provider is another site.
    return {
      title: 'Signed in',
      main: html`<meta http-equiv="refresh" content=${`0; url=${to}`} />
        <p>You are signed in. <a href=${to}>Continue to the console</a></p>`,
    };
  });
}

/** Whether a person follows a link of the console: another site could use up the attempts that an address may begin. */
function isOwnLink({ headers }: FastifyRequest): boolean {
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined);
}

/** Roles of the claim replace those given in the console, so an administrator of the console cannot help. */
function rolesOfProvider({ rolesClaim }: OpenIdConfig): string {
  return `The identity provider assigns roles, in the claim ${rolesClaim}: ask who manages it for one of ${ROLES.join(', ')}.`;
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.split('?')[1]);
}

/** The operator with an identity: made at the first sign-in, with the roles of the claim at each. */
async function operatorFor({ database }: Service, identity: Identity): Promise<Operator | undefined> {
  const { issuer, subject, roles } = identity;
  const known = await findOperator(database.sql, { identity: { issuer, subject } });
  if (known) return withRoles(database, identity, known);
  const { name } = identity;
  const member = { roles: roles ?? [], identity: { issuer, subject } };
  return database.transaction(async (tx) => {
    // The name of another person may be the same; the subject is unique.
    const made =
      (await createOperator(tx, { ...member, name })) ?? (await createOperator(tx, { ...member, name: `${name} (${subject})` }));
    if (!made) return findOperator(tx, { identity: { issuer, subject } });
    const resource = { type: 'operator', id: made.id };
    const act: Act = { action: 'create_operator', resource, detail: { name: made.name, roles: made.roles } };
    await writeAudit(tx, actorOf(identity, made), act);
    return made;
  });
}

/** Gives a person the roles of the claim. Roles that it gave end with it; those given here since then stay without it. */
async function withRoles(database: Database, identity: Identity, known: Operator): Promise<Operator> {
  const isOfClaim = (await rolesGivenBy(database.sql, known.id)) === IDENTITY_PROVIDER;
  const roles = identity.roles ?? (isOfClaim ? [] : known.roles);
  // The same roles are written once as those of the claim: the audit log says where they are from.
  if (roles.join() === known.roles.join() && (isOfClaim || !identity.roles)) return known;
  await database.transaction(async (tx) => {
    await changeRoles(tx, known.id, roles);
    const detail = { before: known.roles, after: roles };
    const act: Act = { action: 'change_roles', resource: { type: 'operator', id: known.id }, detail };
    await writeAudit(tx, actorOf(identity, known), act);
  });
  return { ...known, roles };
}

function actorOf({ issuer }: Identity, { id }: Operator): Actor {
  return { operatorId: id, name: IDENTITY_PROVIDER, place: new URL(issuer).host };
}
