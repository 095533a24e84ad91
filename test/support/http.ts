// HTTP requests to a service, and assertions on refusals.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import { type ProblemName, problems } from '../../src/core/problems.ts';
import { assertNothingSealed, watchBody } from './sealed-values.ts';
import { HANGS_MS, waitUntil } from './wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting it
export type Body = any;
export type Answer = { status: number; headers: IncomingHttpHeaders; body: Body; text: string };
export type Options = {
  token?: string | undefined;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  form?: string;
  /** Sent unchanged, with the HAL content type unless `headers` names another. */
  raw?: string | Buffer;
  key?: string;
  signal?: AbortSignal;
};
export const HAL = 'application/vnd.earmark.v1.hal+json';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Sends a request, and fails when sealed data is in the answer. The OpenAPI document is exempt, as tests may send its examples. */
export function request(wanted: Options & { agent: http.Agent; port: number; method: string; path: string }): Promise<Answer> {
  const { agent, port, method, path, token, body, form, raw, key, signal } = wanted;
  const payload = raw ?? form ?? (body === undefined ? undefined : JSON.stringify(body));
  watchBody(body ?? raw);
  const headers: Record<string, string | string[]> = {
    ...(form === undefined && { accept: HAL }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(payload !== undefined && {
      'content-type': form === undefined ? HAL : 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(payload)),
    }),
    ...(key !== undefined && { 'idempotency-key': key }),
    ...wanted.headers,
  };
  return new Promise((resolve, reject) => {
    const how = { agent, host: '127.0.0.1', port, method, path, headers, ...(signal && { signal }) };
    const outgoing = http.request(how, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        // As fetch() reads it: without a byte order mark.
        const text = new TextDecoder().decode(Buffer.concat(chunks));
        const isJson = /json/.test(incoming.headers['content-type'] ?? '');
        try {
          if (path !== '/openapi.json') assertNothingSealed(`${JSON.stringify(incoming.headers)}\n${text}`);
        } catch (error) {
          return reject(error);
        }
        resolve({
          status: incoming.statusCode!,
          headers: incoming.headers,
          text,
          body: isJson && text ? JSON.parse(text) : undefined,
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

export type Client = { client_id: string; client_secret: string };

/** Requests a token; undefined when the service answers 401. */
export async function tokenOf(url: string, { client_id, client_secret }: Client): Promise<string | undefined> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(`${url}/token`, { method: 'POST', body });
  const answer = (await response.json()) as { access_token?: string };
  assert.equal(response.status, answer.access_token ? 200 : 401);
  return answer.access_token;
}

type Called<T> = { status: number; body: T; location: string };

/** Calls a URL with a token; with a body it is a POST, with its Idempotency-Key if there is one. */
export async function call<T>(url: string, token: string, body?: unknown, key?: string): Promise<Called<T>> {
  watchBody(body);
  const response = await fetch(url, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assertNothingSealed(text);
  const location = response.headers.get('location') ?? '';
  return { status: response.status, body: (text ? JSON.parse(text) : undefined) as T, location };
}

/** As `call`. What gets 503 is repeated with one key, as clients do: on a busy machine the database may answer too late. */
export async function callAgain<T>(url: string, token: string, body?: unknown): Promise<Called<T>> {
  const key = body === undefined ? undefined : randomUUID();
  const send = async () => {
    const answer = await call<T>(url, token, body, key);
    return answer.status !== 503 && answer;
  };
  return waitUntil(`${url} is served`, send, HANGS_MS);
}

/** Returns the id in the URL of a resource. */
export function idOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Asserts a refusal: its status, its code, and if given its message and the code and pointer of its first fault. */
export function assertRefused(
  answer: Answer,
  wanted: { status: number; code: string; message?: string; fault?: string; path?: string },
): void {
  const described = `${answer.status} ${answer.text}`;
  assert.equal(answer.status, wanted.status, described);
  assert.equal(answer.body.code, wanted.code, described);
  if (wanted.message !== undefined) assert.equal(answer.body.message, wanted.message);
  if (wanted.fault === undefined && wanted.path === undefined) return;
  const [fault] = answer.body._embedded.errors;
  if (wanted.code !== 'BadRequest')
    assert.equal(answer.body.message, fault.message, 'the top-level message is that of the first fault');
  if (wanted.fault !== undefined) assert.equal(fault.code, wanted.fault, described);
  if (wanted.path !== undefined) assert.equal(fault.path, wanted.path, described);
  assert.deepEqual(fault._links, {});
}

/** Asserts a BadRequest with the message of the specification, and the message at the pointer of a fault. */
export function assertBadBody(answer: Answer, path: string, message: RegExp): void {
  assertRefused(answer, { status: 400, code: 'BadRequest', message: problems.badRequest.message });
  const { errors } = answer.body._embedded;
  const fault = errors.find((one: Body) => one.path === path);
  assert.ok(fault, `${path} is not among ${JSON.stringify(errors)}`);
  assert.match(fault.message, message);
}

/** A link of a representation. */
export const link = (href: string, type: string) => ({ href, type: HAL, 'resource-type': type });

/** The code and pointer of each fault of a refusal, sorted. */
export function faultsOf(answer: Answer): string[] {
  return answer.body._embedded.errors.map((fault: Body) => `${fault.code} ${fault.path}`).sort();
}

/** Asserts a refusal with a body of only code and message, the service's media type and a request id. */
export function assertPlainRefusal(answer: Answer, name: ProblemName, message: string = problems[name].message): void {
  const { status, code } = problems[name];
  assert.equal(answer.status, status, `${answer.status} ${answer.text}`);
  assert.deepEqual(answer.body, { code, message });
  assert.equal(answer.headers['content-type'], `${HAL}; charset=utf-8`);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.match(String(answer.headers['x-request-id']), UUID);
}
