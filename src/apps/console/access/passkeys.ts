// Passkeys: the calls of assets/passkeys.js to enrol one and to sign in with one.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../../core/problems.ts';
import { writeAudit } from '../../../ledger/audit/audit.ts';
import { addressOf } from '../../../platform/http/address.ts';
import { findOperator, type Operator } from '../../../resources/operators/operator.ts';
import { enrol, enrolmentOptions, signInOptions, verifyPasskey } from '../../../resources/operators/passkey.ts';
import type { Service } from '../../service/service.ts';
import type { Guard } from '../guard.ts';
import { type Entry, operatorOf } from './entry.ts';

export function addPasskeys(guard: Guard, service: Service, entry: Entry): void {
  const { database, config } = service;
  const party = () => ({ origin: new URL(config.publicUrl!).origin });

  guard.receive('/console/passkeys/enrol/begin', async (request, reply) => {
    const operator = await requireEnroller(request);
    const options = await enrolmentOptions(database.sql, party(), operator);
    await entry.begin(request, reply, { kind: 'passkey', challenge: options.challenge, operatorId: operator.id });
    return options;
  });

  guard.receive('/console/passkeys/enrol', async (request, reply) => {
    const { id, name } = await requireEnroller(request);
    const attempt = await entry.take(request, reply, 'passkey');
    const response = request.body as RegistrationResponseJSON;
    const isEnrolled =
      attempt?.operatorId === id &&
      (await database.transaction(async (tx) => {
        const isStored = await enrol(tx, party(), { operatorId: id, challenge: attempt.challenge, response });
        if (isStored) await writeAudit(tx, { operatorId: id, name, place: addressOf(request) }, { action: 'add_passkey' });
        return isStored;
      }));
    if (!isEnrolled) throw refuse('badRequest', { message: 'The passkey was not accepted. Try again.' });
    return { to: '/console/account?done=added' };
  });

  guard.receive('/console/passkeys/sign-in/begin', async (request, reply) => {
    const options = await signInOptions(party());
    const { to } = (request.body ?? {}) as { to?: unknown };
    await entry.begin(request, reply, { kind: 'passkey', challenge: options.challenge, ...(typeof to === 'string' && { to }) });
    return options;
  });

  guard.receive('/console/passkeys/sign-in', async (request, reply) => {
    const attempt = await entry.take(request, reply, 'passkey');
    let passkey: Awaited<ReturnType<typeof verifyPasskey>>;
    const find = async () => {
      if (!attempt || attempt.operatorId !== undefined) return undefined;
      const response = request.body as AuthenticationResponseJSON;
      passkey = await verifyPasskey(database.sql, party(), { challenge: attempt.challenge, response });
      return operatorOf(service, passkey?.operatorId);
    };
    const passkeyId = () => passkey?.passkeyId;
    return { to: await entry.signIn(request, reply, { method: 'passkey', find, passkeyId, to: attempt?.to }) };
  });

  /** A passkey outlives the session: it takes a fresh sign-in, and is not for people whose identity provider decides who signs in. */
  async function requireEnroller(request: FastifyRequest): Promise<Operator> {
    const { id, isFresh } = await guard.requirePerson(request);
    const operator = (await findOperator(database.sql, { id }))!;
    if (operator.issuer) throw refuse('forbidden', { message: 'You sign in with your company account, without passkeys.' });
    if (!isFresh) throw refuse('forbidden', { message: 'Sign in again to add a passkey.' });
    return operator;
  }
}
