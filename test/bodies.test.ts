// Members of JSON bodies that the service does not know: each body is either strict, or refuses only near misses of known names.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Document, type Operation, operationsOf, resolve, type Schema } from './fuzz/document.ts';
import type { Answer, Body } from './support/http.ts';
import { openScenario, runScenario } from './support/scenario.ts';

/** Third-party clients send more to these than Earmark stores. Every other body refuses each unknown member. */
const TOLERANT = [
  ...['createCustomer', 'updateCustomer'],
  ...['createBeneficialOwner', 'updateBeneficialOwner', 'certifyBeneficialOwnership'],
  ...['createWebhookSubscription', 'updateWebhookSubscription', 'rotateWebhookSecret'],
];
/** Is not similar to the name of any member. */
const STRANGE = 'zzz/~zzz';
const STRANGE_POINTER = 'zzz~1~0zzz';

const scenario = await openScenario({ after });
await runScenario({ after }, scenario);
const document = scenario.document as unknown as Document;
const operations = operationsOf(document).filter(({ body }) => body?.type.endsWith('json'));

test('every JSON body is strict, or is listed as tolerant', () => {
  assert.ok(operations.length > 20, 'bodies are found');
  const open = new Map(operations.map(({ operationId, body }) => [operationId, openObjects(body!.schema)]));
  const tolerant = [...open].filter(([, places]) => places.length > 0).map(([operationId]) => operationId);
  assert.deepEqual(tolerant.sort(), [...TOLERANT].sort(), 'bodies whose schema is not closed at every depth');
});

for (const operation of operations) {
  const { operationId } = operation;
  const isStrict = !TOLERANT.includes(operationId);
  test(`${operationId} ${isStrict ? 'refuses' : 'accepts'} a strange member, and refuses near misses, at every depth`, async () => {
    for (const { at, members, put } of objectsIn(bodyOf(operation))) {
      const strange = await send(operation, put({ ...members, [STRANGE]: 1 }));
      if (isStrict) assertUnknown(strange, `${at}/${STRANGE_POINTER}`, /^zzz\/~zzz is not known\. The known members are [a-z_]/);
      // What the body did before may not be possible twice, but it has no faults.
      else assert.ok(strange.status < 300 || strange.body._embedded === undefined, strange.text);
      for (const [known, name] of nearMissesOf(Object.keys(members))) {
        const answer = await send(operation, put({ ...members, [name]: members[known] }));
        assertUnknown(answer, `${at}/${name}`, new RegExp(`^${name} is not known; did you mean ${known}\\?$`));
      }
    }
  });
}

/** The body of the last successful call of an operation. */
function bodyOf({ operationId }: Operation): object {
  const call = scenario.calls.findLast(
    ({ operation, answer, options }) => operation === operationId && answer.status < 300 && options.body !== undefined,
  );
  assert.ok(call, `${operationId} is called by test/support/scenario.ts`);
  return call.options.body as object;
}

function send({ operationId }: Operation, body: object): Promise<Answer> {
  const { method, path, options } = scenario.calls.findLast(
    ({ operation, answer }) => operation === operationId && answer.status < 300,
  )!;
  return scenario.send(method, path, { token: options.token, body });
}

function assertUnknown(answer: Answer, path: string, message: RegExp): void {
  assert.deepEqual([answer.status, answer.body.code], [400, 'ValidationError'], answer.text);
  const fault = answer.body._embedded.errors.find((one: Body) => one.path === path);
  assert.ok(fault, `${path} is not named in ${answer.text}`);
  assert.equal(fault.code, 'NotAllowed');
  assert.match(fault.message, message);
  assert.equal(answer.body.message, answer.body._embedded.errors[0].message);
}

/** Misspelled names that no body has, with the name that each is near to. */
function* nearMissesOf(names: string[]): Generator<[known: string, name: string]> {
  for (const known of names) {
    const snake = known.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const kebab = known.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const misspelled = new Set([known.toUpperCase(), snake, kebab, `${known}s`, known.replace(/[a-z]$/, '')]);
    for (const name of misspelled) if (name !== known) yield [known, name];
  }
}

type Place = { at: string; members: Record<string, unknown>; put: (members: object) => object };

/** The objects in a body except metadata, whose names are the client's. `put` returns a body with another object in the place. */
function* objectsIn(value: object, at = '', put: Place['put'] = (members) => members): Generator<Place> {
  if (!Array.isArray(value)) yield { at, members: value as Place['members'], put };
  for (const [name, member] of Object.entries(value)) {
    if (member === null || typeof member !== 'object' || name === 'metadata') continue;
    const replace = (inner: object) => put(Array.isArray(value) ? value.with(Number(name), inner) : { ...value, [name]: inner });
    yield* objectsIn(member, `${at}/${name}`, replace);
  }
}

/** The pointers of the objects in a schema that may have unknown members. */
function openObjects(given: Schema, at = ''): string[] {
  const schema = resolve(document, given) as Schema & { additionalProperties?: unknown };
  const own = schema.properties && schema.additionalProperties !== false ? [at] : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => openObjects(member, `${at}/${name}`));
  const others = [schema.items ?? [], schema.anyOf ?? [], schema.oneOf ?? []].flat().flatMap((one) => openObjects(one, at));
  return [...own, ...members, ...others];
}
