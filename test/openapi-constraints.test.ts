// The service enforces the request constraints of the OpenAPI document, with patterns that every regular expression dialect reads
// alike.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Document, operationsOf, resolve, type Schema } from './fuzz/document.ts';
import type { Answer } from './support/http.ts';
import { openScenario, type RecordedCall, runScenario } from './support/scenario.ts';
import { violationsOf } from './support/violations.ts';

/**
 * ASCII: literals, classes, groups, and escapes that ECMA-262, RE2 and Python share; no property, \s, \u or look-around. Generators
 * copy patterns into source code.
 */
const PORTABLE = /^(?:[\x20-\x27\x29-\x5b\x5d-\x7e]|\\[.\\-]|\\x[0-9a-f]{2}|\(\?:|\((?!\?))*$/;
const LAST_OF_BMP = 0xffff;
const INT32_MAX = 2 ** 31 - 1;

const scenario = await openScenario({ after });
await runScenario({ after }, scenario);
const document = scenario.document as unknown as Document;
const operations = operationsOf(document);

/** The last successful request of an operation that carried a token. */
function calledWell(operationId: string): RecordedCall | undefined {
  return scenario.calls.findLast(
    ({ operation, answer, options }) => operation === operationId && answer.status < 300 && options.token,
  );
}

function assertRefused(answer: Answer, what: string): void {
  assert.equal(answer.status, 400, `${what} → ${answer.status} ${answer.text}`);
}

test('ECMA-262, RE2 and Python read every pattern alike', () => {
  const patterns = new Set<string>();
  JSON.stringify(document, (name, value) => {
    if (name === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  assert.ok(patterns.size > 10, 'patterns are read');
  for (const pattern of patterns) {
    assert.match(pattern, PORTABLE);
    for (const flags of ['', 'u']) assert.doesNotThrow(() => new RegExp(pattern, flags), pattern);
  }
});

test('declares a 64-bit format on integers beyond 32 bits', () => {
  JSON.stringify(document, (_name, value) => {
    if (value?.maximum > INT32_MAX) assert.equal(value.format, 'int64', JSON.stringify(value));
    return value;
  });
});

test('accepts every character in text except control characters, and no space in a website', () => {
  const { firstName, website } = resolve(document, { $ref: '#/components/schemas/PersonalCustomerRequest' }).properties!;
  const [text, url] = [new RegExp(firstName!.pattern!), new RegExp(website!.pattern!)];
  for (let code = 0; code <= LAST_OF_BMP; code++) {
    const character = String.fromCharCode(code);
    assert.equal(text.test(`a${character}b`), !/\p{Cc}/u.test(character), `U+${code.toString(16)}`);
    assert.equal(url.test(`https://a${character}b`), !/[ \u00a0\p{Cc}]/u.test(character), `U+${code.toString(16)}`);
  }
});

test('no inline schema has the name that generators give to a component', () => {
  const components = (document.components as { schemas: Record<string, Schema> }).schemas;
  const names = new Set(Object.keys(components));
  const visit = (name: string, { type, properties = {}, items, enum: values }: Schema, isComponent: boolean) => {
    if (!isComponent && (type === 'object' || values)) assert.ok(!names.has(name), `${name} is two schemas`);
    for (const [member, schema] of Object.entries(properties))
      visit(name + member.charAt(0).toUpperCase() + member.slice(1), schema, false);
    if (items) visit(name, items, false);
  };
  for (const [name, schema] of Object.entries(components)) visit(name, schema, true);
});

test('every string of an authenticated request declares its constraints', () => {
  const vague: string[] = [];
  const visit = (where: string, given: Schema) => {
    const { type, properties = {}, items, enum: values, pattern, format, maxLength, anyOf, oneOf } = resolve(document, given);
    if (type === 'string' && !values && !pattern && !format && maxLength === undefined) vague.push(where);
    for (const [name, one] of Object.entries(properties)) visit(`${where}/${name}`, one);
    for (const one of [items ?? [], anyOf ?? [], oneOf ?? []].flat()) visit(where, one);
  };
  for (const { operationId, body, parameters } of operations.filter((one) => calledWell(one.operationId))) {
    if (body) visit(operationId, body.schema);
    for (const { name, schema } of parameters) visit(`${operationId} ${name}`, schema);
  }
  assert.deepEqual(vague, []);
});

test('every authenticated POST declares and enforces the Idempotency-Key', async () => {
  const posts = operations.filter(({ operationId, method }) => method === 'POST' && calledWell(operationId));
  assert.ok(posts.length > 15);
  for (const { operationId, parameters } of posts) {
    const declared = parameters.find(({ name }) => name === 'Idempotency-Key');
    assert.ok(declared, operationId);
    const { method, path, options } = calledWell(operationId)!;
    for (const key of violationsOf(document, declared.schema).filter((value) => typeof value === 'string'))
      assertRefused(await scenario.send(method, path, { ...options, key }), `${operationId} with the key ${JSON.stringify(key)}`);
  }
});

test('enforces every constraint of a query', async () => {
  let sent = 0;
  for (const { operationId, parameters } of operations)
    for (const { name, schema } of parameters.filter((parameter) => parameter.in === 'query')) {
      const { method, path, options } = calledWell(operationId)!;
      for (const value of violationsOf(document, schema)) {
        const query = new URLSearchParams({ [name]: String(value) });
        assertRefused(await scenario.send(method, `${path.split('?')[0]}?${query}`, options), `${operationId} with ${query}`);
        sent += 1;
      }
    }
  assert.ok(sent > 50, `${sent}`);
});

test('enforces every constraint of a body, and names the member', async () => {
  let sent = 0;
  for (const { operationId, description, body } of operations) {
    const recorded = calledWell(operationId);
    if (!body || typeof recorded?.options.body !== 'object') continue;
    const { key: _key, ...options } = recorded.options;
    const { method, path } = recorded;
    // An independent batch is made although items are refused.
    const given = options.body as Member;
    const right = { ...given, ...(given.mode === 'independent' && { mode: 'atomic' }) };
    const takesBlank = description.includes('Blank text counts as absent');
    for (const { what, pointer, body: spoiled, isBlank } of spoil(body.schema, right)) {
      if (takesBlank && isBlank) continue;
      const answer = await scenario.send(method, path, { ...options, body: spoiled });
      assertRefused(answer, `${operationId} with ${what}`);
      const faults: { path: string; message: string }[] = answer.body._embedded?.errors ?? [];
      // NUL is not allowed in JSON text.
      const isNamed = faults.some(({ path, message }) => path.startsWith(pointer) || /cannot be read: .* NUL/.test(message));
      assert.ok(isNamed, `${operationId} with ${what} → ${answer.text}`);
      sent += 1;
    }
  }
  assert.ok(sent > 200, `${sent}`);
});

// Last, because a call without a body may take effect.
test('a body may be absent only where the document says so', async () => {
  const optional: string[] = [];
  for (const { operationId, method, body } of operations) {
    const recorded = calledWell(operationId);
    if (!body || !recorded) continue;
    const answer = await scenario.send(method, recorded.path, { token: recorded.options.token });
    if (body.required) assertRefused(answer, `${operationId} without a body`);
    else optional.push(operationId);
  }
  assert.deepEqual(optional, ['createReversal', 'captureHold']);
});

type Member = Record<string, unknown>;

type Spoiled = { what: string; pointer: string; body: Member; isBlank: boolean };

/** Bodies in which the member at `pointer` breaks its schema or is missing. `isBlank` marks an empty optional member. */
function* spoil(given: Schema, body: Member, at = ''): Generator<Spoiled> {
  const schema = branchOf(resolve(document, given), body);
  for (const name of schema.required ?? []) {
    // Without the member that selects an alternative, the body may match another alternative.
    if (branchesOf(resolve(document, given)).some(({ required }) => name === 'type' && !required?.includes(name))) continue;
    const { [name]: _missing, ...rest } = body;
    yield { what: `no ${at}/${name}`, pointer: `${at}/${name}`, body: rest, isBlank: false };
  }
  for (const [name, one] of Object.entries(schema.properties ?? {})) {
    const pointer = `${at}/${name}`;
    const isOptional = !schema.required?.includes(name);
    for (const value of [...violationsOf(document, one), null, wrongType(body[name])]) {
      const what = `${pointer} ${JSON.stringify(value)}`;
      yield { what, pointer, body: { ...body, [name]: value }, isBlank: isOptional && value === '' };
    }
    const inner = body[name];
    if (typeof inner !== 'object' || inner === null) continue;
    if (!Array.isArray(inner)) {
      for (const spoiled of spoil(one, inner as Member, pointer)) yield { ...spoiled, body: { ...body, [name]: spoiled.body } };
    } else if (typeof inner.at(-1) === 'object') {
      const last = inner.length - 1;
      const items = resolve(document, one).items!;
      for (const spoiled of spoil(items, inner[last], `${pointer}/${last}`))
        yield { ...spoiled, body: { ...body, [name]: inner.with(last, spoiled.body) } };
    }
  }
}

/** A value of another type. */
function wrongType(value: unknown): unknown {
  return typeof value === 'string' || value === undefined ? 7 : 'no such';
}

/** The alternative whose constant members match the body. */
function branchOf(schema: Schema, body: Member): Schema {
  return (
    branchesOf(schema).find(({ properties }) =>
      Object.values(properties ?? {}).some((one) => one.enum?.length === 1 && one.enum[0] === body.type),
    ) ?? schema
  );
}

function branchesOf(schema: Schema): Schema[] {
  return (schema.oneOf ?? []).map((one) => resolve(document, one));
}
