// `earmark demo`: plays the whole story against a running service, or one of its own, and prints each request and answer.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { type Credentials, readCredentials, sandboxFile } from '../sandbox/sandbox.ts';
import { type Server, startServer } from '../server.ts';
import { openLog } from '../telemetry/log.ts';
import { cleaningUp, command, UsageError } from './command.ts';

type Answer = { status: number; location: string | undefined; body: Body };
type Body = Record<string, unknown> | undefined;
type Step = { method: string; url: string; body?: unknown; form?: string; basic?: string; key?: string; refused?: boolean };
type Print = (step: Step, answer: Answer) => void;

/** What a temporary service has other than the settings say. */
const OWN = { HOST: 'localhost', PORT: '0', MODE: 'sandbox', DATABASE_URL: '', PUBLIC_URL: '' };

export const demo = command({
  name: 'demo',
  about: 'Plays the whole story against the running sandbox, or a temporary one, and prints each request and answer.',
  examples: ['earmark demo'],
  async run({ json }) {
    const config = readConfig();
    const running = readCredentials(sandboxFile(config));
    const play = (credentials: Credentials) =>
      playStory(credentials, `application/vnd.${config.mediaTypeVendor}.v1.hal+json`, printer(json));
    if (running && (await answersAt(running.base_url))) await play(running);
    else await withTemporaryService((credentials) => play(credentials));
    return 0;
  },
});

async function playStory(credentials: Credentials, mediaType: string, print: Print): Promise<void> {
  const { base_url, client_id, client_secret, customer, labels } = credentials;
  const send = caller(mediaType, print);
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const token = (await send({ method: 'POST', url: `${base_url}/token`, basic, form: 'grant_type=client_credentials' })).body
    ?.access_token as string;
  const get = (url: string) => send({ method: 'GET', url }, token);
  const post = (url: string, body: unknown, how?: { key?: string; refused?: boolean }) =>
    send({ method: 'POST', url, body, ...how }, token);

  await get(customer);
  await post(`${customer}/deposits`, { amount: { value: '100.00', currency: 'USD' }, reference: 'wire 4711' });
  await post(`${labels[0]}/ledger-entries`, { amount: { value: '40.00', currency: 'USD' } });
  await get(labels[0]);

  const [from, to] = labels.map((href) => ({ href }));
  const reallocation = { _links: { from, to }, amount: { value: '25.00', currency: 'USD' }, reference: 'tax for May' };
  const key = `demo-${randomUUID()}`;
  const made = await post(`${base_url}/label-reallocations`, reallocation, { key });
  await post(`${base_url}/label-reallocations`, reallocation, { key });
  const { body } = await get(made.location!);
  const links = body?._links as Record<string, { href: string }>;
  await get(links['from-ledger-entry']!.href);
  await get(links['to-ledger-entry']!.href);
  await get(`${customer}/balance`);
  const tooMuch = { value: '1000000.00', currency: 'USD' };
  await post(`${base_url}/label-reallocations`, { ...reallocation, amount: tooMuch }, { refused: true });
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
      throw new UsageError(`The story ends here: ${step.method} ${step.url} was answered with ${answer.status}.`);
    }
    return answer;
  };
}

async function request(step: Step, headers: Record<string, string>): Promise<Response> {
  const body = step.form ?? (step.body === undefined ? undefined : JSON.stringify(step.body));
  try {
    return await fetch(step.url, { method: step.method, headers, ...(body !== undefined && { body }) });
  } catch (error) {
    throw new UsageError(`${step.url} does not answer: ${((error as Error).cause as Error | undefined)?.message}.`);
  }
}

function printer(json: boolean | undefined): Print {
  if (json)
    return (step, answer) =>
      process.stdout.write(`${JSON.stringify({ method: step.method, url: step.url, request: step.body, ...answer })}\n`);
  return (step, answer) => {
    const lines = [`${step.method} ${step.url}`];
    if (step.key) lines.push(`Idempotency-Key: ${step.key}`);
    if (step.form ?? step.body) lines.push(step.form ?? JSON.stringify(step.body, null, 2));
    lines.push(`  → ${answer.status}${answer.location ? `  Location: ${answer.location}` : ''}`);
    if (answer.body) lines.push(JSON.stringify(answer.body, shorten, 2).replace(/^/gm, '  '));
    process.stdout.write(`${lines.join('\n')}\n\n`);
  };
}

/** Links are the longest part of every answer and the least worth reading twice: only their address is shown. A token is cut. */
function shorten(name: string, value: unknown): unknown {
  if (name === 'access_token') return `${String(value).slice(0, 16)}…`;
  return value !== null && typeof value === 'object' && 'href' in value ? (value as { href: string }).href : value;
}

async function answersAt(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/live`)).ok;
  } catch {
    return false;
  }
}

async function withTemporaryService(work: (credentials: Credentials) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earmark-demo-'));
  const config = readConfig({ ...OWN, DATA_DIR: dataDir });
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
