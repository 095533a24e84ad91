// Every sample of the reference runs, in each language, against a real service.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { OpenApi } from '../src/docs/reference/openapi.ts';
import { type Operation, operationsOf } from '../src/docs/reference/operation.ts';
import { FILE } from '../src/docs/samples/call.ts';
import { type Sample, samplesOf } from '../src/docs/samples/sample.ts';
import { readCredentials } from '../src/sandbox/credentials.ts';
import type { Options } from './support/http.ts';
import { picture } from './support/pictures.ts';
import { type Exchange, startRecordingProxy } from './support/recording-proxy.ts';
import { openCurl, openPython, openTypescript, type RunSample } from './support/sample-runners.ts';
import { openScenario, removeAll, runScenario } from './support/scenario.ts';
import type { TestService } from './support/service.ts';
import type { TestScope } from './support/test-scope.ts';

const folder = mkdtempSync(join(tmpdir(), 'earmark-samples-'));
after(() => {
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true });
});
const hasPython = spawnSync('python3', ['--version']).status === 0;

const RUNNERS: Record<Sample['language'], (t: TestScope, folder: string) => RunSample> = {
  curl: (_t, folder) => openCurl(folder),
  typescript: (_t, folder) => openTypescript(folder),
  python: openPython,
};
const OPERATIONS_MIN = 50;

test('the samples of all operations succeed', async (t) => {
  t.mock.method(console, 'log', () => {});
  if (!hasPython) t.diagnostic('python3 is not installed: the Python samples were not run');
  const succeeded = new Set<string>();
  const operations: Operation[] = [];
  const scenario = await openScenario(t, {
    async sendBy(service, token) {
      const document = (await service.send('GET', '/openapi.json')).body as OpenApi;
      operations.push(...operationsOf(document).flatMap((group) => group.operations));
      const run = await openSender(t, service);
      return async (method, path, options = {}) => {
        const local = path.replace(service.url, '');
        const operation = operations.find((one) => one.method === method.toLowerCase() && patternOf(one).test(local));
        if (!operation || succeeded.has(operation.id) || !isOrdinary(operation, options, token)) {
          return service.send(method, path, options);
        }
        const answer = await run(operation, local, options);
        if (answer.status < 300) succeeded.add(operation.id);
        return answer;
      };
    },
  });
  await removeAll(scenario, await runScenario(t, scenario));
  const missing = operations.map(({ id }) => id).filter((id) => !succeeded.has(id));
  assert.ok(operations.length > OPERATIONS_MIN);
  assert.deepEqual(missing, [], 'these samples did not succeed');
});

/**
 * Returns a function that runs the samples of a call and returns what the service answered. A change cannot be made twice: the service
 * gets it from the first language, and the others must send the same request.
 */
async function openSender(t: TestScope, service: TestService) {
  const proxy = await startRecordingProxy(t, service.port);
  const languages = Object.entries(RUNNERS).filter(([language]) => language !== 'python' || hasPython);
  const runners = new Map(languages.map(([language, open]) => [language, open(t, folder)]));
  const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = readCredentials(join(service.dataDir, 'sandbox.json'))!;
  const token = await service.tokenOf({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
  return async (operation: Operation, path: string, { body, form }: Options) => {
    // Other content each time: the same document twice is refused.
    writeFileSync(join(folder, FILE), await picture());
    const sent = form === undefined ? body : Object.fromEntries(new URLSearchParams(form));
    const TOKEN = (form && new URLSearchParams(form).get('token')) || token;
    let first: Exchange | undefined;
    for (const { language, code } of samplesOf({ operation, baseUrl: proxy.url, vendor: 'earmark', path, body: sent })) {
      const run = runners.get(language);
      if (!run) continue;
      if (first && operation.method !== 'get') proxy.answerNext(first);
      const failure = await run(code, { CLIENT_ID, CLIENT_SECRET, TOKEN });
      const exchange = proxy.take().find((one) => one.path !== '/token' || path === '/token');
      assert.ok(exchange, `${operation.id}: no request was sent by\n${code}\n${failure}`);
      first ??= exchange;
      assert.deepEqual(requestIn(exchange), requestIn(first), `${operation.id} in ${language}`);
      if (exchange.answer.status < 300) assert.equal(failure, undefined, code);
    }
    return first!.answer;
  };
}

/** What must be the same in every language. */
function requestIn({ method, path, headers, content }: Exchange) {
  const [type] = (headers['content-type'] ?? '').split(';');
  const parsed: Record<string, () => unknown> = {
    'multipart/form-data': () => [content.includes('license'), content.includes(readFileSync(join(folder, FILE)))],
    'application/x-www-form-urlencoded': () => [...new URLSearchParams(content.toString())],
    '': () => content.toString(),
  };
  const body = (parsed[type!] ?? (() => JSON.parse(content.toString())))();
  const [scheme] = (headers.authorization ?? '').split(' ');
  return { method, path, scheme, hasKey: headers['idempotency-key'] !== undefined, body };
}

function patternOf({ path }: Operation): RegExp {
  return new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}(\\?|$)`);
}

/** Whether a call is what the sample shows: not one that is malformed, or sent by somebody else, to record a refusal. */
function isOrdinary(operation: Operation, { token, headers, raw, key, form }: Options, own: string): boolean {
  if (key !== undefined || typeof raw === 'string') return false;
  if (operation.scope !== undefined && token !== own) return false;
  if (form !== undefined) return !/client_secret=x|password/.test(form);
  return headers === undefined || raw !== undefined;
}
