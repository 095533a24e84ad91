// Provokes every response that the OpenAPI document declares: each operation with each status. test/contract.ts checks over the
// whole suite that no other response occurs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUCKETS } from '../src/core/ids.ts';
import { SCOPES, type Scope } from '../src/resources/oauth/scope.ts';
import type { Options } from './support/http.ts';
import { filePart, multipart, typePart } from './support/multipart.ts';
import { picture } from './support/pictures.ts';
import { openScenario, type RecordedCall, removals, removeAll, runScenario, type Scenario } from './support/scenario.ts';

/** Responses that this test does not provoke, and why. */
const ELSEWHERE: Record<string, string> = {
  'getRoot 403': 'only with a token for one customer: src/resources/oauth/customer-token.test.ts',
  'getLiveness 503': 'only while the service shuts down: src/apps/monitoring',
  'getReadiness 503': 'only while the service shuts down, or its database is unavailable: src/apps/monitoring',
  'getMetrics 404': 'only where METRICS_PORT is set: src/platform/telemetry',
  'getMetrics 503': 'only while the service shuts down',
  'revokeToken 429': 'only after many wrong secrets: src/resources/oauth',
  'introspectToken 429': 'only after many wrong secrets: src/resources/oauth',
  'submitBeneficialOwnerDocument 408': 'takes as long as an upload may: src/resources/documents/upload-limits.test.ts',
  'submitCustomerDocument 408': 'takes as long as an upload may: src/resources/documents/upload-limits.test.ts',
  'revokeToken 500': 'an internal error: test/faults.test.ts',
  'revokeToken 503': 'the database is unavailable: test/faults.test.ts',
  'introspectToken 500': 'an internal error: test/faults.test.ts',
  'introspectToken 503': 'the database is unavailable: test/faults.test.ts',
  'getAuthorizationServer 500': 'an internal error: test/faults.test.ts',
  'getAuthorizationServer 503': 'only while the service shuts down',
  'getJwks 500': 'an internal error: test/faults.test.ts',
  'getJwks 503': 'only while the service shuts down',
};

const NOWHERE = '01890000-0000-7000-8000-000000000000';
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const ID_ANY = new RegExp(ID, 'g');
const TOO_LARGE_BYTES = 10 * 1024 * 1024 + 1;
/** Responses that a planned fault cannot replace. */
const notPlannable = new Set<string>();
const KEY = 'used-for-another-request';

test('every operation gives every response that the OpenAPI document declares', async (t) => {
  const scenario = await openScenario(t);
  await scenario.make('/customers', { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' }, { key: KEY });
  // A key belongs to one customer: as if each customer had used it.
  await scenario.sql`
    insert into idempotency_key (bucket, key, fingerprint, resource_id, account_id, created, status, resource_type)
    select b, key, fingerprint, resource_id, account_id, created, status, resource_type
    from idempotency_key, generate_series(0, ${BUCKETS - 1}::int) b
    on conflict do nothing`;
  const there = await runScenario(t, scenario);
  const well = scenario.calls.filter(({ answer }) => answer.status < 300);
  const good = new Map(well.map((one): [string, Asked] => [one.operation, one]));
  for (const [method, path] of removals(there)) {
    const local = path.replace(scenario.url, '');
    const operation = operationOf(scenario, method.toLowerCase(), local);
    good.set(operation, { operation, method, path: local, options: { token: scenario.token } });
  }
  const strangers = await tokensOfStrangers(scenario);
  await Promise.all([...good.values()].map((one) => refuseAll(scenario, one, strangers)));
  await removeAll(scenario, there);

  const seen = new Set(scenario.calls.map(({ operation, answer }) => `${operation} ${answer.status}`));
  const declaredAnswers = Object.values(scenario.document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  );
  assert.deepEqual(
    declaredAnswers.filter((answer) => !seen.has(answer) && !(answer in ELSEWHERE) && !notPlannable.has(answer)),
    [],
    'declared, but not provoked',
  );
  assert.deepEqual(
    Object.keys(ELSEWHERE).filter((answer) => seen.has(answer) || !declaredAnswers.includes(answer)),
    [],
    'not an exception any more',
  );
});

/** Larger than any body without a file may be. */
const LARGE = 'a'.repeat(1_100_000);

type Asked = Omit<RecordedCall, 'answer'>;
type Strangers = { another: string; powerless: Map<Scope | undefined, string> };

/** Tokens of another account, and of applications of the same account that lack one scope. */
async function tokensOfStrangers({ tokenWith, sandbox }: Scenario): Promise<Strangers> {
  const lacking = SCOPES.map(async (scope) => {
    const others = SCOPES.filter((other) => other !== scope);
    return [scope, await tokenWith(others, sandbox.account_id)] as const;
  });
  return { another: await tokenWith(SCOPES), powerless: new Map(await Promise.all(lacking)) };
}

function operationOf({ document }: Scenario, method: string, path: string): string {
  const found = Object.entries(document.paths).find(([template]) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return found![1][method]!.operationId;
}

/** Sends a valid request in every way that the document declares as refused. */
async function refuseAll(
  { document, record, send, token }: Scenario,
  { operation, method, path, options }: Asked,
  strangers: Strangers,
) {
  const declared = Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .find(({ operationId }) => operationId === operation)!;
  const declares = (status: number) => status in declared.responses;
  const scope = declared.security?.[0]?.application?.[0] as Scope | undefined;
  const isUpload = 'raw' in options;
  const isForm = options.form !== undefined;
  const repeat = (more: Options, elsewhere = path) => record(method, elsewhere, { ...options, ...more });

  if (declares(304)) await repeat({ headers: { 'if-none-match': '*' } });
  if (declares(400) && method === 'GET') await record('GET', `${path.split('?')[0]}?limit=0`);
  if (declares(400) && method !== 'GET' && !isForm && !isUpload) await repeat({ raw: '{', body: undefined });
  if (declares(400) && isUpload) await repeat({ raw: multipart([typePart()]) });
  if (declares(401) && !isForm) await repeat({ token: undefined });
  if (declares(403) && scope) await repeat({ token: strangers.powerless.get(scope) });
  if (declares(403) && ID.test(path)) await repeat({ token: strangers.another });
  if (operation === 'getMetrics') await repeat({ headers: { 'x-forwarded-for': '192.0.2.1' } });
  if (declares(404) && ID.test(path)) await repeat({}, path.replace(ID, NOWHERE));
  if (operation.startsWith('createLabelReallocation'))
    await repeat({ body: JSON.parse(JSON.stringify(options.body).replaceAll(ID_ANY, NOWHERE).replace('independent', 'atomic')) });
  if (operation === 'listEvents') await record('GET', `${path}&after=${NOWHERE}`);
  if (declares(406)) await repeat({ headers: { accept: 'text/html' } });
  if (declares(409)) await repeat({ key: 'no key' });
  if (declares(409)) await repeat({ key: KEY, ...(isUpload && { raw: multipart([typePart(), filePart(await picture())]) }) });
  if (declares(413) && !isUpload) await repeat({ body: undefined, ...(isForm ? { form: LARGE } : { raw: `"${LARGE}"` }) });
  if (declares(413) && isUpload) await repeat({ raw: multipart([typePart(), filePart(Buffer.alloc(TOO_LARGE_BYTES))]) });
  const bare = !isForm && !isUpload && options.body === undefined;
  if (declares(415)) await repeat({ headers: { 'content-type': 'text/plain' }, ...(bare && { raw: 'a' }) });
  for (const status of [429, 500, 503]) {
    if (!declares(status)) continue;
    const planned = await send('POST', '/sandbox/faults', { token, body: { operation, status } });
    // Except operations that only a sandbox has.
    if (planned.status === 201) await repeat({});
    else notPlannable.add(`${operation} ${status}`);
  }
}
