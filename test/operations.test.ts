// Every answer that the OpenAPI document promises is given: each operation with each of its statuses. That nothing else is given,
// test/support/contract.ts holds over the whole suite.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCOPES, type Scope } from '../src/oauth/application.ts';
import type { Options } from './support/http.ts';
import { filePart, multipart, typePart } from './support/multipart.ts';
import { picture } from './support/pictures.ts';
import { openScenario, type RecordedCall, removals, removeAll, runScenario, type Scenario } from './support/scenario.ts';

/** What is not provoked here, and why. */
const ELSEWHERE: Record<string, string> = {
  'getLiveness 503': 'only while the service closes: src/health',
  'getReadiness 503': 'only while the service closes, or its database is away: src/health',
  'getMetrics 404': 'only where METRICS_PORT is set: src/telemetry',
  'getMetrics 503': 'only while the service closes',
  'revokeToken 429': 'only after many wrong secrets: src/oauth',
  'introspectToken 429': 'only after many wrong secrets: src/oauth',
  'submitBeneficialOwnerDocument 408': 'takes as long as an upload may: src/documents/upload.test.ts',
  'submitCustomerDocument 408': 'takes as long as an upload may: src/documents/upload.test.ts',
  'revokeToken 500': 'a fault of the service: test/faults.test.ts',
  'revokeToken 503': 'the database is away: test/faults.test.ts',
  'introspectToken 500': 'a fault of the service: test/faults.test.ts',
  'introspectToken 503': 'the database is away: test/faults.test.ts',
  'getAuthorizationServer 500': 'a fault of the service: test/faults.test.ts',
  'getAuthorizationServer 503': 'only while the service closes',
  'getJwks 500': 'a fault of the service: test/faults.test.ts',
  'getJwks 503': 'only while the service closes',
};

const NOWHERE = '01890000-0000-7000-8000-000000000000';
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const ID_ANY = new RegExp(ID, 'g');
const TOO_LARGE_BYTES = 10 * 1024 * 1024 + 1;
/** Answers that no fault can be planned of. */
const spared = new Set<string>();
const KEY = 'used-for-another-request';

test('every operation gives every answer that the OpenAPI document promises', async (t) => {
  const scenario = await openScenario(t);
  await scenario.make('/customers', { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' }, { key: KEY });
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
  const promised = Object.values(scenario.document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  );
  assert.deepEqual(
    promised.filter((answer) => !seen.has(answer) && !(answer in ELSEWHERE) && !spared.has(answer)),
    [],
    'promised, but never given',
  );
  assert.deepEqual(
    Object.keys(ELSEWHERE).filter((answer) => seen.has(answer) || !promised.includes(answer)),
    [],
    'not an exception any more',
  );
});

type Asked = Omit<RecordedCall, 'answer'>;
type Strangers = { another: string; powerless: Map<Scope | undefined, string> };

/** Tokens of another account, and of applications of the same that lack one scope. */
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

/** Asks a good question in every way that is refused, as far as the document says that it is. */
async function refuseAll(
  { document, record, send, token }: Scenario,
  { operation, method, path, options }: Asked,
  strangers: Strangers,
) {
  const declared = Object.values(document.paths)
    .flatMap((operations) => Object.values(operations))
    .find(({ operationId }) => operationId === operation)!;
  const promises = (status: number) => status in declared.responses;
  const scope = declared.security?.[0]?.application?.[0] as Scope | undefined;
  const isUpload = 'raw' in options;
  const isForm = options.form !== undefined;
  const again = (more: Options, elsewhere = path) => record(method, elsewhere, { ...options, ...more });

  if (promises(304)) await again({ headers: { 'if-none-match': '*' } });
  if (promises(400) && method === 'GET') await record('GET', `${path.split('?')[0]}?limit=0`);
  if (promises(400) && method !== 'GET' && !isForm && !isUpload) await again({ raw: '{', body: undefined });
  if (promises(400) && isUpload) await again({ raw: multipart([typePart()]) });
  if (promises(401) && !isForm) await again({ token: undefined });
  if (promises(403) && scope) await again({ token: strangers.powerless.get(scope) });
  if (promises(403) && ID.test(path)) await again({ token: strangers.another });
  if (operation === 'getMetrics') await again({ headers: { 'x-forwarded-for': '192.0.2.1' } });
  if (promises(404) && ID.test(path)) await again({}, path.replace(ID, NOWHERE));
  if (operation === 'createLabelReallocation')
    await again({ body: JSON.parse(JSON.stringify(options.body).replaceAll(ID_ANY, NOWHERE)) });
  if (operation === 'listEvents') await record('GET', `${path}&after=${NOWHERE}`);
  if (promises(406)) await again({ headers: { accept: 'text/html' } });
  if (promises(409)) await again({ key: 'no key' });
  if (promises(409)) await again({ key: KEY, ...(isUpload && { raw: multipart([typePart(), filePart(await picture())]) }) });
  if (promises(413) && !isUpload)
    await again({ body: undefined, ...(isForm ? { form: 'a'.repeat(70_000) } : { raw: `"${'a'.repeat(70_000)}"` }) });
  if (promises(413) && isUpload) await again({ raw: multipart([typePart(), filePart(Buffer.alloc(TOO_LARGE_BYTES))]) });
  const bare = !isForm && !isUpload && options.body === undefined;
  if (promises(415)) await again({ headers: { 'content-type': 'text/plain' }, ...(bare && { raw: 'a' }) });
  for (const status of [429, 500, 503]) {
    if (!promises(status)) continue;
    const planned = await send('POST', '/sandbox/faults', { token, body: { operation, status } });
    // What a sandbox offers itself is spared.
    if (planned.status === 201) await again({});
    else spared.add(`${operation} ${status}`);
  }
}
