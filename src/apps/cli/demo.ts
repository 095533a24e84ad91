// `earmark demo`: runs an example against a running service, or a temporary one, and prints each request and response.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../platform/config/config.ts';
import { openLog } from '../../platform/telemetry/log.ts';
import { type Server, startServer } from '../api/server.ts';
import { type Credentials, readCredentials, sandboxFile } from '../sandbox/credentials.ts';
import { cleaningUp, UsageError } from './command.ts';
import { heading } from './output.ts';

type Answer = { status: number; location: string | undefined; body: Body };
type Body = Record<string, unknown> | undefined;
/** `title` describes the request. */
type Step = { title: string } & Asked & { method: string; url: string };
type Asked = { body?: unknown; form?: string; basic?: string; key?: string; refused?: boolean };
type Print = (step: Step, answer: Answer) => void;

/** Settings of the temporary service that override the environment. */
const OVERRIDES = { HOST: 'localhost', PORT: '0', MODE: 'sandbox', DATABASE_URL: '', PUBLIC_URL: '' };

export async function demo({ json }: { json: boolean }): Promise<number> {
  const config = readConfig();
  const running = readCredentials(sandboxFile(config));
  const run = (credentials: Credentials) =>
    runExample(credentials, `application/vnd.${config.mediaTypeVendor}.v1.hal+json`, printer(json));
  if (running && (await isLive(running.base_url))) await run(running);
  else await withTemporaryService((credentials) => run(credentials));
  return 0;
}

async function runExample(credentials: Credentials, mediaType: string, print: Print): Promise<void> {
  const { base_url, client_id, client_secret, customer, labels } = credentials;
  const send = caller(mediaType, print);
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const form = 'grant_type=client_credentials';
  const granted = await send({ title: 'Get an access token', method: 'POST', url: `${base_url}/token`, basic, form });
  const token = granted.body?.access_token as string;
  const get = (title: string, url: string) => send({ title, method: 'GET', url }, token);
  const post = (title: string, url: string, asked: Asked) => send({ title, method: 'POST', url, ...asked }, token);

  await get('Get the customer', customer);
  const deposit = { amount: { value: '100.00', currency: 'USD' }, reference: 'wire 4711' };
  await post('Record a deposit', `${customer}/deposits`, { body: deposit });
  const funding = { amount: { value: '40.00', currency: 'USD' } };
  await post('Add available money to a label', `${labels[0]}/ledger-entries`, { body: funding });
  await get('Get the label', labels[0]);

  const [from, to] = labels.map((href) => ({ href }));
  const body = { _links: { from, to }, amount: { value: '25.00', currency: 'USD' }, reference: 'tax for May' };
  const reallocations = `${base_url}/label-reallocations`;
  const key = `demo-${randomUUID()}`;
  const made = await post('Create a reallocation from one label to the other', reallocations, { body, key });
  await post('Repeat the request with the same Idempotency-Key: the money moves only once', reallocations, { body, key });
  const reallocation = await get('Get the reallocation', made.location!);
  const links = reallocation.body?._links as Record<string, { href: string }>;
  await get('Get the ledger entry of the source label', links['from-ledger-entry']!.href);
  await get('Get the ledger entry of the destination label', links['to-ledger-entry']!.href);
  await get("Get the customer's balance", `${customer}/balance`);
  const tooMuch = { ...body, amount: { value: '1000000.00', currency: 'USD' } };
  await post('Try to reallocate more than the label has: the request is refused', reallocations, {
    body: tooMuch,
    refused: true,
  });
}

function caller(mediaType: string, print: Print) {
  return async (step: Step, token?: string): Promise<Answer> => {
    const response = await request(step, {
      ...(step.form === undefined && { accept: mediaType }),
      ...(step.basic && { authorization: `Basic ${step.basic}`, 'content-type': 'application/x-www-form-urlencoded' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...(step.body !== undefined && { 'content-type': mediaType }),
      ...(step.key && { 'idempotency-key': step.key }),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      location: response.headers.get('location') ?? undefined,
      body: text ? (JSON.parse(text) as Body) : undefined,
    };
    print(step, answer);
    if (response.ok === (step.refused === true)) {
      throw new UsageError(`The demo stopped: ${step.method} ${step.url} returned ${answer.status}.`);
    }
    return answer;
  };
}

async function request(step: Step, headers: Record<string, string>): Promise<Response> {
  const body = step.form ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
  try {
    return await fetch(step.url, { method: step.method, headers, ...(body !== undefined && { body }) });
  } catch (error) {
    throw new UsageError(`${step.url} does not respond: ${((error as Error).cause as Error | undefined)?.message}.`);
  }
}

function printer(json: boolean | undefined): Print {
  if (json)
    return (step, answer) =>
      process.stdout.write(
        `${JSON.stringify({ title: step.title, method: step.method, url: step.url, request: step.body, ...answer })}\n`,
      );
  let steps = 0;
  return (step, answer) => {
    steps += 1;
    const lines = [heading(`${steps}. ${step.title}`), `${step.method} ${step.url}`];
    if (step.key) lines.push(`Idempotency-Key: ${step.key}`);
    if (step.form ?? step.body) lines.push(step.form ?? JSON.stringify(step.body, null, 2));
    lines.push(`  → ${answer.status}${answer.location ? `  Location: ${answer.location}` : ''}`);
    if (answer.body) lines.push(JSON.stringify(answer.body, shorten, 2).replace(/^/gm, '  '));
    process.stdout.write(`${lines.join('\n')}\n\n`);
  };
}

/** Replaces links by their URL and shortens tokens, to keep the output readable. */
function shorten(name: string, value: unknown): unknown {
  if (name === 'access_token') return `${String(value).slice(0, 16)}…`;
  return value !== null && typeof value === 'object' && 'href' in value ? (value as { href: string }).href : value;
}

async function isLive(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/live`)).ok;
  } catch {
    return false;
  }
}

async function withTemporaryService(work: (credentials: Credentials) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earmark-demo-'));
  const config = readConfig({ ...OVERRIDES, DATA_DIR: dataDir });
  let server: Server | undefined;
  await cleaningUp(
    async () => {
      server = await startServer(config, openLog('warn', process.stderr));
      await work(server.sandbox!.credentials);
    },
    async () => {
      await server?.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  );
}
