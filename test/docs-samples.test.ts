// Every sample of the reference runs against a real service, in each language.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import { startRecordingProxy } from './support/recording-proxy.ts';
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

type Language = Sample['language'];
const RUNNERS: Record<Language, (t: TestScope, folder: string) => RunSample> = {
  curl: (_t, folder) => openCurl(folder),
  typescript: (_t, folder) => openTypescript(folder),
  python: openPython,
};

test('the samples of all operations succeed', { concurrency: true }, async (t) => {
  t.mock.method(console, 'log', () => {});
  const languages = (Object.keys(RUNNERS) as Language[]).filter((language) => language !== 'python' || hasPython);
  if (!hasPython) t.diagnostic('python3 is not installed: the Python samples were not run');
  await Promise.all(languages.map((language) => t.test(language, async (t) => runAll(t, language))));
});

/** Calls every operation by its sample, until one succeeded. */
async function runAll(t: Parameters<typeof runScenario>[0] & TestScope, language: Language): Promise<void> {
  const succeeded = new Set<string>();
  const operations: Operation[] = [];
  const scenario = await openScenario(t, {
    async sendBy(service, token) {
      const document = (await service.send('GET', '/openapi.json')).body as OpenApi;
      operations.push(...operationsOf(document).flatMap((group) => group.operations));
      const run = await openSender(t, service, language);
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
  assert.ok(operations.length > 50);
  assert.deepEqual(missing, [], `${language}: these samples did not succeed`);
}

/** Returns a function that runs the sample of a call and returns what the service answered. */
async function openSender(t: TestScope, service: TestService, language: Language) {
  const proxy = await startRecordingProxy(t, service.port);
  const own = mkdtempSync(join(folder, `${language}-`));
  const run = RUNNERS[language](t, own);
  const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = readCredentials(join(service.dataDir, 'sandbox.json'))!;
  const token = await service.tokenOf({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
  return async (operation: Operation, path: string, { body, form }: Options) => {
    // Other content each time: the same document twice is refused.
    writeFileSync(join(own, FILE), await picture());
    const sent = form === undefined ? body : Object.fromEntries(new URLSearchParams(form));
    const call = { operation, baseUrl: proxy.url, path, body: sent };
    const { code } = samplesOf(call).find((sample) => sample.language === language)!;
    const TOKEN = (form && new URLSearchParams(form).get('token')) || token;
    const failure = await run(code, { CLIENT_ID, CLIENT_SECRET, TOKEN });
    const answer = proxy.take().find((one) => one.path !== '/token' || path === '/token');
    assert.ok(answer, `${operation.id}: no request was sent by\n${code}\n${failure}`);
    if (answer.status < 300) assert.equal(failure, undefined, code);
    return answer;
  };
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
