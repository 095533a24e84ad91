// People of the console for tests: creates them, signs them in by a link, and requests pages as a browser does.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createLink } from '../../src/resources/operators/link.ts';
import { createOperator } from '../../src/resources/operators/operator.ts';
import type { Role } from '../../src/resources/operators/role.ts';
import type { TestService } from './service.ts';

export type Browser = Awaited<ReturnType<typeof openSession>>;

/** Creates a person with a random name. */
export async function newOperator({ sql }: Pick<TestService, 'sql'>, ...roles: Role[]) {
  return (await createOperator(sql, { name: `Person ${randomUUID()}`, roles }))!;
}

/** The path of a new one-time link. */
export async function newLink({ service }: Pick<TestService, 'service'>, operatorId: string): Promise<string> {
  return service.database.transaction((tx) => createLink(tx, service.sealer, operatorId));
}

/** Signs a new person in, and returns functions that load pages and send forms with the session. */
export async function openSession(service: TestService, ...roles: Role[]) {
  const operator = await newOperator(service, ...roles);
  return { operator, ...(await enterBy(service, await newLink(service, operator.id))) };
}

/** Signs a person in with a link. */
export async function enterBy(service: Pick<TestService, 'send'>, link: string) {
  const own = { 'sec-fetch-site': 'same-origin', accept: 'text/html' };
  const entered = await service.send('POST', link, { headers: own });
  assert.equal(entered.status, 303, entered.text);
  const cookie = cookieIn(entered.headers['set-cookie']);
  const headers = { ...own, cookie };
  return {
    cookie,
    load: (path: string, more: Record<string, string> = {}) => service.send('GET', path, { headers: { ...headers, ...more } }),
    submit: (path: string, form: Record<string, string> | [string, string][] = {}, more: Record<string, string> = {}) =>
      service.send('POST', path, { headers: { ...headers, ...more }, form: new URLSearchParams(form).toString() }),
  };
}

/** The name and value of a Set-Cookie header. */
export function cookieIn(header: string | string[] | undefined): string {
  return String([header].flat()[0]).split(';')[0]!;
}
