// Signing in: the limit of attempts, the session and its cookie, and the audit log; the same for links, passkeys and OpenID Connect.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openRate, retryAfter } from '../../http/rate.ts';
import { openAttempts } from '../../oauth/attempts.ts';
import { ATTEMPT_SECONDS, type Attempt, beginAttempt, takeAttempt } from '../../operators/attempt.ts';
import { writeAudit } from '../../operators/audit.ts';
import { findOperator, type Operator } from '../../operators/operator.ts';
import { endSession, findSession, openSession, SESSION_SECONDS, type SignInMethod } from '../../operators/session.ts';
import { refuse } from '../../problems.ts';
import type { Service } from '../../service.ts';
import type { Cookies } from '../cookie.ts';

/** Who to sign in: an id or an operator; undefined when the secret was wrong. */
type Claimant = { method: SignInMethod; find: () => Promise<Operator | undefined> };

export type Entry = {
  /** Signs the person in and returns them. Refuses with the same words whatever was wrong, and after too many failures of an address. */
  signIn(request: FastifyRequest, reply: FastifyReply, claimant: Claimant): Promise<Operator>;
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Remembers an attempt in a cookie of the browser. Refuses an address that begins too many. */
  begin(request: FastifyRequest, reply: FastifyReply, attempt: Attempt): Promise<void>;
  /** The attempt of the browser, once. */
  take<Kind extends Attempt['kind']>(
    request: FastifyRequest,
    reply: FastifyReply,
    kind: Kind,
  ): Promise<Extract<Attempt, { kind: Kind }> | undefined>;
};

const REFUSED = 'This sign-in is not valid. It may have expired, been used already, or belong to a person who may not enter.';
const METHODS: Record<SignInMethod, string> = { link: 'one-time link', passkey: 'passkey', openid: 'OpenID Connect' };

/** Attempts that an address may begin; each is a row for ten minutes. */
const BEGUN = { perSecond: 0.5, burst: 30 };

export function openEntry({ database, sealer, config, peers }: Service, cookies: Cookies): Entry {
  const attempts = openAttempts(config.tokenFailuresPerMinute, { name: 'sign-in', peers });
  const begun = openRate(BEGUN);
  const { sql } = database;
  return {
    async signIn(request, reply, { method, find }) {
      const succeed = attempts.begin('console', request.ip);
      const operator = await find();
      const place = request.ip;
      const detail = { with: METHODS[method] };
      if (!operator || operator.disabled !== null || operator.roles.length === 0) {
        const actor = { operatorId: operator?.id ?? null, name: operator?.name ?? 'unknown', place };
        await writeAudit(sql, actor, { action: 'sign_in_refused', detail });
        throw refuse('forbidden', { message: REFUSED });
      }
      succeed();
      const secret = await database.transaction(async (tx) => {
        await writeAudit(tx, { operatorId: operator.id, name: operator.name, place }, { action: 'sign_in', detail });
        return openSession(tx, sealer, operator.id, method);
      });
      // A session that this browser had before does not outlive the sign-in.
      await endSession(sql, sealer, cookies.read(request, 'session'));
      cookies.set(reply, 'session', { secret, seconds: SESSION_SECONDS });
      return operator;
    },
    async signOut(request, reply) {
      const secret = cookies.read(request, 'session');
      const person = await findSession(sql, sealer, secret);
      if (person) await writeAudit(sql, { operatorId: person.id, name: person.name, place: request.ip }, { action: 'sign_out' });
      await endSession(sql, sealer, secret);
      cookies.clear(reply, 'session');
    },
    async begin(request, reply, attempt) {
      const waitMs = begun.take(request.ip);
      if (waitMs > 0) throw refuse('tooManyRequests', { headers: retryAfter(waitMs) });
      cookies.set(reply, 'attempt', { secret: await beginAttempt(sql, sealer, attempt), seconds: ATTEMPT_SECONDS });
    },
    async take(request, reply, kind) {
      const attempt = await takeAttempt(sql, sealer, { secret: cookies.read(request, 'attempt'), kind });
      cookies.clear(reply, 'attempt');
      return attempt;
    },
  };
}

/** An enabled operator by id. */
export async function operatorOf({ database }: Pick<Service, 'database'>, id: string | undefined): Promise<Operator | undefined> {
  return id === undefined ? undefined : findOperator(database.sql, { id });
}
