// Signing in: the limit of attempts, the session and its cookie, and the audit log; the same for links, passkeys and OpenID Connect.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../../../core/problems.ts';
import { writeAudit } from '../../../ledger/audit/audit.ts';
import { addressOf } from '../../../platform/http/address.ts';
import { openRate, retryAfter } from '../../../platform/http/rate.ts';
import { sourceOf } from '../../../platform/http/source.ts';
import { openAttempts } from '../../../resources/oauth/attempts.ts';
import { ATTEMPT_SECONDS, type Attempt, beginAttempt, takeAttempt } from '../../../resources/operators/attempt.ts';
import { findOperator, type Operator } from '../../../resources/operators/operator.ts';
import type { Refusals } from '../../../resources/operators/refusals.ts';
import {
  endSession,
  findSession,
  openSession,
  SESSION_SECONDS,
  type SignInMethod,
} from '../../../resources/operators/session.ts';
import type { Service } from '../../service/service.ts';
import type { Cookies } from '../cookie.ts';
import type { KeptForms } from '../kept-forms.ts';
import { returnPath } from '../return-path.ts';

/**
 * Who to sign in; `find` returns undefined when the secret was wrong. `to`: the page that the sign-in began with. `withoutRole`: who can
 * give a role to a person who has none.
 */
type Claimant = {
  method: SignInMethod;
  find: () => Promise<Operator | undefined>;
  /** After `find`: the passkey that the person signed in with. */
  passkeyId?: () => string | undefined;
  to?: string | undefined;
  withoutRole?: () => string;
};

export type Entry = {
  /**
   * Signs the person in, and returns the path of the page to show. Refuses with the same words whatever was wrong with the secret, and with
   * 429 after too many failures of an address. No number of failures refuses a valid secret: nobody can guess one.
   */
  signIn(request: FastifyRequest, reply: FastifyReply, claimant: Claimant): Promise<string>;
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

export const REFUSED =
  'This sign-in is not valid. It may have expired, been used already, or belong to a person who may not enter.';
const ASK_ADMIN = 'An administrator of the console gives roles under People.';
const METHODS: Record<SignInMethod, string> = { link: 'one-time link', passkey: 'passkey', openid: 'OpenID Connect' };

/** Attempts that an address may begin; each is a row for ten minutes. */
const BEGUN = { perSecond: 0.5, burst: 30 };

export function openEntry(
  { database, sealer, config, peers }: Service,
  { cookies, forms, refusals }: { cookies: Cookies; forms: KeptForms; refusals: Refusals },
): Entry {
  const attempts = openAttempts(config.tokenFailuresPerMinute, { name: 'sign-in', peers });
  const begun = openRate(BEGUN);
  const { sql } = database;
  return {
    async signIn(request, reply, { method, find, passkeyId, to, withoutRole = () => ASK_ADMIN }) {
      const operator = await find();
      const place = addressOf(request);
      const detail = { with: METHODS[method] };
      if (!operator || operator.disabled !== null || operator.roles.length === 0) {
        attempts.begin('console', sourceOf(request.ip));
        if (!operator) await refusals.note({ source: sourceOf(place), method: METHODS[method] });
        else
          await writeAudit(sql, { operatorId: operator.id, name: operator.name, place }, { action: 'sign_in_refused', detail });
        const isKnown = operator !== undefined && operator.disabled === null;
        throw refuse('forbidden', { message: isKnown ? noRole(operator, withoutRole()) : REFUSED });
      }
      const secret = await database.transaction(async (tx) => {
        await writeAudit(tx, { operatorId: operator.id, name: operator.name, place }, { action: 'sign_in', detail });
        return openSession(tx, sealer, operator.id, { method, passkeyId: passkeyId?.() });
      });
      // A session that this browser had before does not outlive the sign-in.
      await endSession(sql, sealer, cookies.read(request, 'session'));
      cookies.set(reply, 'session', { secret, seconds: SESSION_SECONDS });
      const before = cookies.read(request, 'return');
      if (before !== undefined) cookies.clear(reply, 'return');
      return (await forms.restore(request, reply, secret)) ?? returnPath(to ?? decoded(before));
    },
    async signOut(request, reply) {
      const secret = cookies.read(request, 'session');
      const person = await findSession(sql, sealer, { secret, idleMinutes: config.consoleIdleMinutes });
      if (person)
        await writeAudit(sql, { operatorId: person.id, name: person.name, place: addressOf(request) }, { action: 'sign_out' });
      await endSession(sql, sealer, secret);
      cookies.clear(reply, 'session');
    },
    async begin(request, reply, attempt) {
      const waitMs = begun.take(sourceOf(request.ip));
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

function noRole({ name }: Operator, remedy: string): string {
  return `You are known as ${name}, but no role is assigned to you yet. ${remedy} Then sign in again.`;
}

/** A cookie is what the browser sends. */
function decoded(value: string | undefined): string | undefined {
  try {
    return value && decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** An enabled operator by id. */
export async function operatorOf({ database }: Pick<Service, 'database'>, id: string | undefined): Promise<Operator | undefined> {
  return id === undefined ? undefined : findOperator(database.sql, { id });
}
