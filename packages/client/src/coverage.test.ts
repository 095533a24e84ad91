// Tests that the client covers every operation of the OpenAPI document and types every link.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Earmark } from './client.ts';

type Security = Record<string, string[]>[];
type Operation = { operationId: string; security?: Security; parameters?: { name: string }[] };
type Schema = { properties?: { _links?: { properties?: object } } };
type Document = {
  security: Security;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as Document;
const ID = '01890000-0000-7000-8000-000000000000';
const MONTH = '2026-01';
/** Links that stand for an action and cannot be followed. */
const ACTIONS = [
  ...[
    'about',
    'capture',
    'certify',
    'create-label',
    'deactivate',
    'edit',
    'openapi',
    'reactivate',
    'release',
    'remove',
    'retry',
    'reverse',
    'suspend',
  ],
  ...['certify-beneficial-ownership', 'retry-verification', 'update', 'verify-with-document', 'withdraw'],
];

test('the client can call every operation', async () => {
  const called = new Set<string>();
  const answer = { access_token: 'token', expires_in: 3600, _links: {}, _embedded: { some: [] }, total: 0 };
  const earmark = new Earmark({
    url: 'http://service.example',
    clientId: 'id',
    clientSecret: 'secret',
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname.replace(ID, '{id}').replace(MONTH, '{month}');
      const operation = document.paths[path]?.[init!.method!.toLowerCase()];
      called.add(operation?.operationId ?? `${init?.method} ${path}`);
      const takesKey = operation?.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
      assert.equal(new Headers(init!.headers).has('idempotency-key'), takesKey, `${operation?.operationId}: Idempotency-Key`);
      return Response.json(answer, { headers: { location: `http://service.example/things/${ID}` } });
    },
  });
  await earmark.root();
  for (const resource of Object.values(earmark)) {
    for (const call of Object.values(resource as Record<string, (...args: unknown[]) => Promise<unknown>>)) {
      for (const ref of [ID, ...['customers', 'beneficial-owners'].map((name) => `http://service.example/${name}/${ID}`)]) {
        // An operation on a collection takes the reference as its parent or its filter.
        const form = { from: ID, to: ID, items: [], steps: [], type: 'passport', file: new Uint8Array(1), month: MONTH };
        for (const args of [[ref, form], [form]]) await exhaust(() => call(...args));
      }
    }
  }
  // Operations without a token serve load balancers, other OAuth libraries and browsers.
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const wanted = operations.filter(({ security = document.security }) => security.some((scheme) => 'application' in scheme));
  assert.ok(wanted.length > 40);
  called.delete('createToken');
  assert.deepEqual([...called].sort(), wanted.map(({ operationId }) => operationId).sort());
});

test('every readable link has a type', () => {
  const source = readFileSync(new URL('links.ts', import.meta.url), 'utf8');
  const typed = [...source.matchAll(/^ {2}'?([a-z-]+)'?:/gm)].map(([, rel]) => rel!);
  const rels = Object.values(document.components.schemas).flatMap((schema) =>
    Object.keys(schema.properties?._links?.properties ?? {}),
  );
  assert.deepEqual([...typed, ...ACTIONS, 'self'].sort(), [...new Set(rels)].sort());
});

/** Makes a call, or iterates the list it returns; a refusal counts as no result. */
async function exhaust(call: () => Promise<unknown>): Promise<void> {
  try {
    const made = await call();
    if (made !== null && typeof made === 'object' && 'all' in made) await (made as { all(): Promise<unknown> }).all();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
