// Passkeys: the calls of assets/passkeys.js to enrol one and to sign in with one.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { writeAudit } from '../../operators/audit.ts';
import { findOperator } from '../../operators/operator.ts';
import { enrol, enrolmentOptions, signInOptions, verifyPasskey } from '../../operators/passkey.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import type { Guard } from '../guard.ts';
import { type Entry, operatorOf } from './entry.ts';

export function addPasskeys(guard: Guard, service: Service, entry: Entry): void {
  const { database, config } = service;
  const party = () => ({ origin: new URL(config.publicUrl!).origin });

  guard.receive('/console/passkeys/enrol/begin', async (request, reply) => {
    const { id } = await guard.requirePerson(request);
    const options = await enrolmentOptions(database.sql, party(), (await findOperator(database.sql, { id }))!);
    await entry.begin(request, reply, { kind: 'passkey', challenge: options.challenge, operatorId: id });
    return options;
  });

  guard.receive('/console/passkeys/enrol', async (request, reply) => {
    const { id, name } = await guard.requirePerson(request);
    const attempt = await entry.take(request, reply, 'passkey');
    const response = request.body as RegistrationResponseJSON;
    const isEnrolled =
      attempt?.operatorId === id &&
      (await enrol(database.sql, party(), { operatorId: id, challenge: attempt.challenge, response }));
    if (!isEnrolled) throw refuse('badRequest', { message: 'The passkey was not accepted. Try again.' });
    await writeAudit(database.sql, { operatorId: id, name, place: request.ip }, { action: 'add_passkey' });
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
    const find = async () => {
      if (!attempt || attempt.operatorId !== undefined) return undefined;
      const response = request.body as AuthenticationResponseJSON;
      return operatorOf(service, await verifyPasskey(database.sql, party(), { challenge: attempt.challenge, response }));
    };
    return { to: await entry.signIn(request, reply, { method: 'passkey', find, to: attempt?.to }) };
  });
}
