// A request of a person: who it is, what they may do, and what an earlier form left for the page.
import type { FastifyRequest } from 'fastify';
import { refuse } from '../../core/problems.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { addressOf } from '../../platform/http/address.ts';
import { keep, openWork, readWork, saveWork, takeKept } from '../../resources/operators/kept.ts';
import { may, type Permission } from '../../resources/operators/role.ts';
import { findSession, type Person } from '../../resources/operators/session.ts';
import type { Service } from '../service/service.ts';
import type { Cookies } from './cookie.ts';
import { withKept } from './kept-forms.ts';
import type { NextPage, Visit } from './screen.ts';
import { pathOf } from './send.ts';

type Visits = {
  /** The person who is signed in, if anybody is. `isQuiet`: the request does not count as use of the session. */
  personOf(request: FastifyRequest, options?: { isQuiet: boolean }): Promise<Person | undefined>;
  /** The person of a request; refuses when nobody is signed in. */
  requirePerson(request: FastifyRequest): Promise<Person>;
  /** The visit of a person. Refuses when they may not do this. */
  visitOf(request: FastifyRequest, person: Person, permission: Permission): Visit;
  /** The visit, with what was kept for it. */
  withKept(request: FastifyRequest, visit: Visit): Promise<Visit>;
  /** The address of the page after a form. What the page shows once is kept for this session. */
  addressOf(request: FastifyRequest, next: string | NextPage): Promise<string>;
};

/** From a form to the page that shows its result. */
const SHOWN_SECONDS = 60;
/** As long as a session at most, but it does not end with one. */
const WORK_SECONDS = 12 * 3_600;

/** UTC until the person chooses another. */
export function zoneOf({ timeZone }: Pick<Person, 'timeZone'>): string {
  return timeZone ?? 'UTC';
}

export function openVisits(
  { config, database, sealer, log }: Pick<Service, 'config' | 'database' | 'sealer' | 'log'>,
  cookies: Cookies,
): Visits {
  const { sql } = database;
  const sessionOf = (request: FastifyRequest) => cookies.read(request, 'session');
  const personOf = async (request: FastifyRequest, { isQuiet } = { isQuiet: false }) => {
    const session = { secret: sessionOf(request), idleMinutes: config.consoleIdleMinutes, isQuiet };
    request.person = await findSession(sql, sealer, session);
    return request.person;
  };
  const workOf = (operatorId: string): Visit['work'] => ({
    open: (work) => openWork(sql, sealer, work, { operatorId, seconds: WORK_SECONDS }),
    read: (id, tx) => readWork(tx ?? sql, sealer, { operatorId, id, isLocked: tx !== undefined }),
    save: (id, work, tx = sql) => saveWork(tx, sealer, work, { operatorId, id }),
  });
  return {
    personOf,
    async requirePerson(request) {
      const person = await personOf(request);
      if (!person) throw refuse('forbidden', { message: 'Your session has ended. Sign in again.' });
      return person;
    },
    visitOf(request, person, permission) {
      const mayDo = (wanted: Permission) => may(person.roles, wanted);
      if (!mayDo(permission)) {
        log.info({ operator: person.id, permission }, 'console: not permitted');
        throw refuse('forbidden', { message: 'Your roles do not allow this. Ask an administrator.' });
      }
      const place = addressOf(request);
      const actor = { operatorId: person.id, name: person.name, place };
      return {
        person,
        zone: zoneOf(person),
        place,
        params: request.params as Record<string, string>,
        query: new URLSearchParams(request.url.slice(pathOf(request).length)),
        kept: {},
        work: workOf(person.id),
        may: mayDo,
        audit: (act, tx = sql) => writeAudit(tx, actor, act),
      };
    },
    async withKept(request, visit) {
      const [id, cookie] = [visit.query.get('kept'), sessionOf(request)];
      if (id === null || cookie === undefined) return visit;
      return { ...visit, kept: (await takeKept(sql, sealer, { cookie, id })) ?? {} };
    },
    async addressOf(request, next) {
      if (typeof next === 'string') return next;
      const { to, ...kept } = next;
      return withKept(to, await keep(sql, sealer, kept, { cookie: sessionOf(request)!, seconds: SHOWN_SECONDS }));
    },
  };
}

/** Parses a form. Refuses NUL characters, which the database cannot store. */
export function parseForm(encoded: string): URLSearchParams {
  const form = new URLSearchParams(encoded);
  if ([...form].flat().some((text) => text.includes('\0')))
    throw refuse('badRequest', { message: 'A field has a NUL character.' });
  return form;
}

/** The fields of a form; none without a body. */
export function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}
