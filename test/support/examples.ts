// Makes the examples of the OpenAPI document from recorded calls, with fixed values for everything that varies.
import type { Examples } from '../../src/platform/http/openapi/examples.ts';
import type { RecordedCall, Scenario } from './scenario.ts';

type Received = { body: { topic: string; created: string } };

export const BASE = 'http://localhost:8080';
const ID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
/** The timestamp part of the UUIDv7 ids in examples. */
const ID_START = '01980000-0000-7000-8000-';

/** Patterns of values that vary between runs, beside ids. */
const VARYING: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-31T12:00:00.000Z'],
  [/\d{4}-\d\d-\d\dT\d\d%3A\d\d%3A\d\d\.\d{3}Z/g, '2026-01-31T12%3A00%3A00.000Z'],
  [/"start":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"/g, '"start":"2026-01-31T18:00:00"'],
  [/"month":"\d{4}-\d\d"/g, '"month":"2026-01"'],
  [/\/statements\/\d{4}-\d\d/g, '/statements/2026-01'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.claims.signature'],
  [/"(iat|exp)":\d+/g, '"$1":1769860800'],
  [/"(kid|x)":"[\w-]{43}"/g, '"$1":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"'],
  [/"client_secret":"[^"]+"/g, '"client_secret":"the secret of the application"'],
  [/\b[0-9a-f]{64}\b/g, 'a'.repeat(64)],
  [/v1,[\w+/]{43}=/g, `v1,${'A'.repeat(43)}=`],
  [/v1a,[\w+/]{86}==/g, `v1a,${'A'.repeat(86)}==`],
  [/whpk_[\w+/]{43}=/g, 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
  [/\{"name":"webhook-timestamp","value":"\d+"\}/g, '{"name":"webhook-timestamp","value":"1769860800"}'],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT/g, 'Sat, 31 Jan 2026 12:00:00 GMT'],
  [/127\.0\.0\.1:\d+/g, 'hooks.example.com'],
  [/localhost:(?!8080)\d+(?=\/accounts\/)/g, 'localhost:8080'],
  [/\/log\+[0-9a-f]{8}\+[\w+/]{44}/g, `/log+c4a98f1e+${'A'.repeat(44)}`],
  [/\/log\\n\d+\\n[\w+/]{43}=\\n\\n(— [^\s]+) [\w+/=]+/g, `/log\\n40\\n${'A'.repeat(43)}=\\n\\n$1 ${'A'.repeat(92)}`],
  [/\\"details\\":\\"[\w-]{32}\\"/g, `\\"details\\":\\"${'A'.repeat(32)}\\"`],
  [/"proof":\[[^\]]*\]/g, `"proof":["${'A'.repeat(43)}="]`],
  [/"index":\d+(?=,"checkpoint")/g, '"index":39'],
];

/** Returns the last answer of each operation, status and code, and the first delivery of each webhook topic. */
export function examplesOf({ calls, sandbox, url, document }: Scenario, received: Received[]): Examples {
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  const operations = ids.map((id) => [id, exampleOf(calls.filter(({ operation }) => operation === id))]);
  // Deliveries can arrive out of order.
  const inOrder = received.toSorted((a, b) => (a.body.created < b.body.created ? -1 : 1));
  const topics = [...new Set(received.map(({ body }) => body.topic))].sort();
  const webhooks = topics.map((topic) => [topic, inOrder.find(({ body }) => body.topic === topic)!.body]);
  const { account_id, client_id, customer, labels } = sandbox;
  const all = {
    sandbox: { base_url: url, account_id, client_id, customer, labels },
    operations: Object.fromEntries(operations),
    webhooks: Object.fromEntries(webhooks),
  };
  return JSON.parse(fixed(JSON.stringify(all).replaceAll(url, BASE))) as Examples;
}

function exampleOf(calls: RecordedCall[]): Examples['operations'][string] {
  const good = calls.findLast(({ answer }) => answer.status < 300);
  const request =
    good?.options.form === undefined ? good?.options.body : Object.fromEntries(new URLSearchParams(good.options.form));
  const answers: Examples['operations'][string]['answers'] = {};
  for (const { answer } of calls) {
    const { status, body, headers } = answer;
    const name = status < 300 ? 'answer' : (body?.code ?? '');
    if (status === 304 || (body === undefined && status !== 201)) continue;
    answers[status] = { ...answers[status], [name]: body ?? { location: headers.location } };
  }
  return { ...(good && { path: good.path }), ...(request !== undefined && { request }), answers };
}

function fixed(text: string): string {
  const known = new Map<string, string>();
  const withIds = text.replace(ID, (id) => {
    if (!known.has(id)) known.set(id, `${ID_START}${(known.size + 1).toString(16).padStart(12, '0')}`);
    return known.get(id)!;
  });
  return VARYING.reduce((text, [pattern, value]) => text.replace(pattern, value), withIds);
}
