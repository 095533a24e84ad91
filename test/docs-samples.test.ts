// Every sample of the reference runs as its page prints it, in each language, in a shell that has only what README.md sets.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import type { Sample } from '../src/apps/docs/samples/sample.ts';
import { freePort } from './support/free-port.ts';
import { runCli } from './support/process.ts';
import { type Exchange, startRecordingProxy } from './support/recording-proxy.ts';
import { openRunner, type RunSample } from './support/sample-runners.ts';
import { startService, type TestService } from './support/service.ts';
import { longerMs } from './support/wait.ts';

type Operation = { id: string; method: string; path: string };
type Printed = Record<Sample['language'], string>;

const hasPython = spawnSync('python3', ['--version']).status === 0;
const LANGUAGES: Sample['language'][] = ['curl', 'typescript', 'python'];
const RUN: Sample['language'][] = hasPython ? LANGUAGES : ['curl', 'typescript'];
const PANEL = /<div class="panel" data-language="(\w+)"><figure class="code">\s*<pre[^>]*><code>(.*?)<\/code>/gs;
const ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** It deletes what the samples of the others name. */
const LAST = 'resetAccount';
const ALL_MAX_MS = longerMs(240_000);

test('the samples of every operation succeed as printed in a sandbox', { timeout: ALL_MAX_MS }, async (t) => {
  const sandbox = await openSandbox(t);
  const operations = await operationsOf(sandbox.service);
  const failed: string[] = [];
  for (const operation of [...operations.filter(({ id }) => id !== LAST), ...operations.filter(({ id }) => id === LAST)])
    failed.push(...(await failuresOf(sandbox, operation, await samplesOn(sandbox.service, operation))));
  assert.deepEqual(failed, []);
});

test('samples elsewhere name no resources, and run with the variables of `earmark sandbox env`', {
  timeout: ALL_MAX_MS,
}, async (t) => {
  const service = await startService(t, { env: { MODE: 'production' } });
  const sandbox = await openSandbox(t);
  const { stdout } = await runCli(t, ['sandbox', 'env'], { DATA_DIR: sandbox.service.dataDir });
  const printed = [...stdout.matchAll(/^export (\w+)=/gm)].map(([, name]) => name!);
  for (const operation of await operationsOf(service)) {
    const { page, ...samples } = await samplesOn(service, operation);
    for (const [language, code] of Object.entries(samples)) {
      assert.doesNotMatch(code, ID, `${operation.id} in ${language}`);
      assert.ok(!code.includes(service.url), `${operation.id} in ${language}`);
    }
    const names = [...samples.curl.matchAll(/\$([A-Z_]+)/g)].map(([, name]) => name!);
    const own = names.filter((name) => !printed.includes(name));
    for (const name of own) assert.ok(page.includes(`Set <code>${name}</code> to the URL of yours`), `${operation.id}: ${name}`);
    // The others change what a sandbox has, so that they succeed once at most.
    if (own.length === 0 && (operation.method === 'get' || operation.id === 'createLabelReallocation'))
      assert.deepEqual(await failuresOf(sandbox, operation, samples), []);
  }
});

type Sandbox = { service: TestService; proxy: { take(): Exchange[] }; runners: Map<Sample['language'], RunSample> };

/** A sandbox behind a proxy, and a shell for each language that knows the variables of it. */
async function openSandbox(t: TestContext): Promise<Sandbox> {
  if (!hasPython) t.diagnostic('python3 is not installed: the Python samples were not run');
  const port = await freePort();
  const proxy = await startRecordingProxy(t, port);
  const service = await startService(t, { env: { PORT: String(port), PUBLIC_URL: proxy.url } });
  return { service, proxy, runners: new Map(RUN.map((language) => [language, openRunner(t, language, service.dataDir)])) };
}

/** Runs the samples of an operation. Returns those that ended badly or were refused. All must send the same request. */
async function failuresOf({ proxy, runners }: Sandbox, operation: Operation, samples: Printed): Promise<string[]> {
  const failed: string[] = [];
  let first: unknown;
  for (const [language, run] of runners) {
    proxy.take();
    const failure = await run(samples[language]);
    const exchanges = proxy.take().filter(({ path }) => path !== '/token' || operation.path === '/token');
    const main = exchanges.find((exchange) => isOf(operation, exchange) && exchange.answer.status !== 503);
    first ??= main && requestIn(main);
    const refused = exchanges.filter(({ answer: { status } }) => status >= 300 && status !== 503);
    if (failure === '' && refused.length === 0 && main && main.answer.status < 300) {
      assert.deepEqual(requestIn(main), first, `${operation.id} in ${language}`);
    } else {
      failed.push([operation.id, language, failure, ...refused.map(({ path, answer }) => `${path} ${answer.text}`)].join(' '));
    }
  }
  return failed;
}

async function operationsOf({ send }: TestService): Promise<Operation[]> {
  const { paths } = (await send('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ id: operationId, method, path })),
  );
}

/** The samples on the page of an operation, as a reader copies them. */
async function samplesOn({ send }: TestService, { id }: Operation): Promise<Printed & { page: string }> {
  const { text } = await send('GET', `/docs/reference/${id}`, { headers: { accept: 'text/html' } });
  const found = [...text.matchAll(PANEL)].map(([, language, code]) => [language!, unescaped(code!)]);
  assert.deepEqual(
    found.map(([language]) => language),
    LANGUAGES,
    id,
  );
  return { ...(Object.fromEntries(found) as Printed), page: text };
}

const CHARACTERS: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'", '&#39;': "'", '&amp;': '&' };

function unescaped(html: string): string {
  return html.replace(/<[^>]+>/g, '').replace(/&[#\w]+;/g, (entity) => CHARACTERS[entity]!);
}

function isOf({ method, path }: Operation, exchange: Exchange): boolean {
  const pattern = new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}(\\?|$)`);
  return exchange.method.toLowerCase() === method && pattern.test(exchange.path);
}

/** What must be the same in every language. The ids of what a sample makes first differ. */
function requestIn({ method, path, headers, content }: Exchange) {
  const [type] = (headers['content-type'] ?? '').split(';');
  const text = content.toString().replace(ID, 'ID');
  const parsed: Record<string, () => unknown> = {
    'multipart/form-data': () => [text.includes('passport'), text.includes('PNG')],
    'application/x-www-form-urlencoded': () => [...new URLSearchParams(text).keys()],
    '': () => text,
  };
  const body = (parsed[type!] ?? (() => JSON.parse(text)))();
  const [scheme] = (headers.authorization ?? '').split(' ');
  return { method, path: path.replace(ID, 'ID'), scheme, hasKey: headers['idempotency-key'] !== undefined, body };
}
