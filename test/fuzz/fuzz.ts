// Sends every operation requests made from the OpenAPI document and a seed, and checks every response.
import assert from 'node:assert/strict';
import { openContract } from '../support/contract.ts';
import { ownerForm } from '../support/data.ts';
import type { Answer } from '../support/http.ts';
import type { Client } from '../support/platform.ts';
import type { Random } from '../support/random.ts';
import type { TestService } from '../support/service.ts';
import { type Document, type Operation, operationsOf } from './document.ts';
import { bytesOf, makeRequest, type Request } from './request.ts';
import type { Known } from './values.ts';
import { ask } from './wire.ts';

export type Figures = {
  inputs: number;
  operations: number;
  statuses: Record<string, number>;
  flaws: Record<string, number>;
  slowestMs: number;
};

/** Longer than any request takes, also on a busy machine. */
const HUNG_MS = 20_000;
/** Newest first: requests prefer recently created resources, which get past the first checks. */
const KNOWN_MAX = 200;
const RECENT = 5;
/** A run ends after as many failures: they are likely the same. */
const FAILURES_MAX = 8;
/** Callers must never see these: SQL, table names and source locations. */
const INTERNALS =
  /\bselect\b.*\bfrom\b|insert into|\bupdate \w+ set\b|relation "|ledger_account|\bpg_|postgres|SQLSTATE|\bat \/|\.ts:\d|node_modules|TypeError|ERR_|undefined|\[object /i;
/** Responses sent before routing, the same for every operation. */
const BEFORE_ROUTES = new Set([
  'The request URL contains bad syntax.',
  'The request is malformed HTTP.',
  'A request header contains bad syntax.',
]);
const BEFORE_ROUTES_STATUSES = new Set([408, 431]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SANDBOX = 'sandbox';

export type Target = {
  service: TestService;
  document: Document;
  operations: Operation[];
  known: Known & { add(url: string): void };
  /** For operations of the sandbox: planned faults and clocks affect one account, and must not affect the others. */
  clients: { main: Client; sandbox: Client };
  picture: Buffer;
  /** A token that may be revoked. */
  spareToken: string;
};

/** Settings of a service under fuzzing: no rate limits, and nothing sent to other hosts. */
export const FUZZ_SETTINGS = {
  TOKEN_FAILURES_PER_MINUTE: '0',
  DELIVER_WEBHOOKS: 'false',
  LOG_LEVEL: 'warn',
  MAX_REQUESTS: '1000000',
};

export async function openTarget(service: TestService, picture: Buffer): Promise<Target> {
  const document = (await service.send('GET', '/openapi.json')).body as Document;
  const known = openKnown();
  const target = {
    service,
    document,
    operations: operationsOf(document),
    known,
    clients: { main: service.client, sandbox: await service.newClient() },
    picture,
    spareToken: await service.tokenOf(service.client),
  };
  await createResources(target);
  return target;
}

/** Resources by kind, mostly the newest. */
function openKnown(): Target['known'] {
  const kinds = new Map<string, string[]>();
  return {
    add(url) {
      const kind = url.split('/').at(-2)!;
      const urls = kinds.get(kind) ?? [];
      kinds.set(kind, urls.length < KNOWN_MAX ? urls : urls.slice(KNOWN_MAX / 2));
      kinds.get(kind)!.push(url);
    },
    pick(random, kind) {
      const urls = kinds.get(kind ?? '') ?? random.pick([...kinds.values()]);
      return urls[Math.max(0, urls.length - random.int(1, random.chance(0.8) ? RECENT : KNOWN_MAX))]!;
    },
  };
}

/** Creates one resource of each kind, and a label of another account. */
async function createResources({ service, known, clients }: Target): Promise<void> {
  const { call, newCustomer, newLabel, reallocation, newClient } = service;
  const made = async (path: string, body: unknown) => {
    const { headers, status, text } = await call('POST', path, { body });
    assert.equal(status, 201, text);
    known.add(headers.location!);
    return headers.location!;
  };
  const usd = (value: string) => ({ amount: { value, currency: 'USD' } });
  const foreign = (await newClient()).token;
  known.add(await newLabel(await newCustomer({ token: foreign }), '0', { token: foreign }));
  known.add(`${service.url}/accounts/${clients.main.account_id}`);
  const customer = await newCustomer();
  known.add(customer);
  await made(`${customer}/deposits`, usd('1000000.00'));
  await made(`${customer}/withdrawals`, usd('1.00'));
  const [from, to] = [await made(`${customer}/labels`, usd('1000.00')), await made(`${customer}/labels`, usd('0'))] as const;
  await made(`${from}/ledger-entries`, usd('5.00'));
  await made('/label-reallocations', reallocation(from, to, '1.00'));
  await made(`${customer}/beneficial-owners`, { ...ownerForm, firstName: 'document' });
  await made('/webhook-subscriptions', { url: 'https://example.com/hook', secret: 'a secret of some length' });
}

/** Sends a number of requests concurrently; each has its own seed, drawn from `random`. */
export async function sendRequests(
  target: Target,
  random: Random,
  { until, atOnce }: { until: (sent: number) => boolean; atOnce: number },
): Promise<Figures> {
  const figures: Figures = { inputs: 0, operations: target.operations.length, statuses: {}, flaws: {}, slowestMs: 0 };
  const contract = openContract(target.document as never);
  const failures: string[] = [];
  let started = 0;
  const worker = async () => {
    while (!until(started) && failures.length < FAILURES_MAX) {
      // In turn, so that each operation has its share even in a short run.
      const operation = target.operations[started++ % target.operations.length]!;
      await sendOne(target, operation, random.fork(), { contract, figures }).catch((error: Error) =>
        failures.push(error.message),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (failures.length > 0) throw new Error([...failures, ...internalErrors(target.service)].join('\n\n'));
  assert.equal((Object.prototype as Record<string, unknown>).polluted, undefined, 'no prototype was changed');
  return figures;
}

type Recorders = { contract: ReturnType<typeof openContract>; figures: Figures };

async function sendOne(target: Target, operation: Operation, random: Random, { contract, figures }: Recorders): Promise<void> {
  const { service, document, known, picture, spareToken } = target;
  const { token, ...client } = operation.tags.includes(SANDBOX) ? target.clients.sandbox : target.clients.main;
  const { client_id, client_secret } = client;
  const { request, flaw } = makeRequest(operation, {
    document,
    random,
    known,
    token,
    client: { client_id, client_secret },
    picture,
    spareToken,
  });
  const { answers, hung, ms } = await ask(service.port, bytesOf(request), {
    timeoutMs: HUNG_MS,
    isHead: request.method === 'HEAD',
  });
  try {
    assert.ok(!hung, 'no response, and the connection stays open');
    assert.equal(answers.length, 1, `${answers.length} answers`);
    assertAnswer(request, answers[0]!, contract);
  } catch (error) {
    throw new Error(
      `${(error as Error).message}\n\nflaw: ${flaw}\nrequest: ${show(request)}\nanswer: ${JSON.stringify(answers[0])?.slice(0, 2000)}`,
      { cause: error },
    );
  }
  const { status, headers } = answers[0]!;
  figures.inputs += 1;
  figures.statuses[status] = (figures.statuses[status] ?? 0) + 1;
  figures.flaws[flaw] = (figures.flaws[flaw] ?? 0) + 1;
  figures.slowestMs = Math.max(figures.slowestMs, Math.round(ms));
  if (status === 201 && headers.location) known.add(headers.location);
  // The clock of an account moves, and its tokens expire.
  if (status === 401 && operation.tags.includes(SANDBOX)) target.clients.sandbox.token = await service.tokenOf(client);
}

function assertAnswer({ method, target }: Request, answer: Answer, contract: Recorders['contract']): void {
  const { status, headers, text, body } = answer;
  // A receipt is asked for before a checkpoint covers its reallocation.
  const isEarly = status === 503 && /^The transparency log does not cover this yet/.test(body?.message);
  assert.ok((status >= 200 && status < 500) || isEarly, `status ${status}`);
  if (status >= 400) assert.doesNotMatch(text, INTERNALS, 'internal details in the response');
  for (const [name, value] of Object.entries(headers)) assert.doesNotMatch(String(value), /[^\x20-\x7e]/, `header ${name}`);
  assert.match(String(headers['x-request-id']), UUID);
  assert.equal(headers['cache-control'], 'no-store');
  assert.ok(!('x-powered-by' in headers || 'server' in headers), 'the software is named');
  if (status === 304) assert.equal(text, '');
  if (method === 'HEAD') return;
  if (BEFORE_ROUTES.has(body?.message) || BEFORE_ROUTES_STATUSES.has(status)) {
    assert.deepEqual(Object.keys(body), ['code', 'message']);
    return;
  }
  contract(
    method,
    target.split('#', 1)[0]!,
    String(headers['content-type']).startsWith('text/plain') ? { ...answer, body: text } : answer,
  );
}

function show({ method, target, headers, body }: Request): string {
  return JSON.stringify({ method, target, headers, body: body?.toString('latin1').slice(0, 4000), bytes: body?.length });
}

/** Checks the end state: the service responds, has logged no internal error, and its ledger is sound. */
export async function assertUnharmed({ service }: Target, verify: () => Promise<unknown[]>): Promise<void> {
  assert.equal((await service.send('GET', '/health/ready')).status, 200);
  assert.deepEqual(internalErrors(service), [], 'no internal error was logged');
  assert.deepEqual(await verify(), []);
}

function internalErrors({ logs }: Target['service']): string[] {
  return logs.filter((line) => /"level":[56]0/.test(line));
}
