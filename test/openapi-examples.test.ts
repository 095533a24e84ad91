// Every error example in the OpenAPI document belongs to its operation.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readExamples } from '../src/platform/http/openapi/examples.ts';
import { type Document, operationsOf, resolve, type Schema } from './fuzz/document.ts';
import { HAL } from './support/http.ts';
import { startService } from './support/service.ts';

type Refused = { code: string; message: string; _embedded?: { errors: { path: string; message: string }[] } };
type Response = { description: string; content?: Record<string, { examples?: Record<string, { value: Refused }> }> };
type Shown = { operationId: string; status: string; name: string; value: Refused; description: string };

const QUERY = '/query/';

const { send } = await startService({ after });
const document = (await send('GET', '/openapi.json')).body as Document;

test('error examples are among the errors of their operation', () => {
  const recorded = readExamples(HAL).operations;
  const examples = refusalsOf();
  assert.ok(examples.length > 300, 'examples are read');
  for (const { operationId, status, name, value, description } of examples) {
    const where = `${operationId} → ${status} ${name}: ${JSON.stringify(value)}`;
    if (isDeepStrictEqual(value, recorded[operationId]?.answers[status]?.[name])) continue;
    assert.deepEqual(Object.keys(value), ['code', 'message'], `${where} is an answer of another operation`);
    assert.ok(description.includes(`\`${value.code}\` ${value.message}`), `${where} is not a refusal of this operation`);
  }
});

test('every recorded refusal is an example of its operation', () => {
  const examples = refusalsOf();
  for (const [operationId, { answers }] of Object.entries(readExamples(HAL).operations))
    for (const [status, values] of Object.entries(answers).filter(([status]) => Number(status) >= 400))
      for (const [name, value] of Object.entries(values)) {
        const example = examples.find((one) => one.operationId === operationId && one.status === status && one.name === name);
        assert.deepEqual(example?.value, value, `${operationId} → ${status} ${name}`);
      }
});

test("the pointers of an example name members of the operation's request", () => {
  const byId = new Map(operationsOf(document).map((one) => [one.operationId, one]));
  let pointers = 0;
  for (const { operationId, value } of refusalsOf())
    for (const { path, message } of value._embedded?.errors ?? []) {
      const { body, parameters } = byId.get(operationId)!;
      const named = path.startsWith(QUERY)
        ? parameters.some((parameter) => parameter.in === 'query' && parameter.name === path.slice(QUERY.length))
        : body !== undefined && hasMember(body.schema, path.split('/').slice(1));
      assert.ok(named, `${operationId}: ${path} (${message}) is not a member of its request`);
      pointers += 1;
    }
  assert.ok(pointers > 5, 'pointers are read');
});

function refusalsOf(): Shown[] {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path)) as {
    operationId: string;
    responses: Record<string, Response>;
  }[];
  return operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, given]) => {
        const { description, content = {} } = resolve(document, given as Schema) as Response;
        const examples = Object.values(content).flatMap((media) => Object.entries(media.examples ?? {}));
        return examples.map(([name, { value }]) => ({ operationId, status, name, value, description }));
      }),
  );
}

function hasMember(given: Schema, [name, ...rest]: string[]): boolean {
  const schema = resolve(document, given);
  if (name === undefined) return true;
  const next = schema.properties?.[name] ?? (/^\d+$/.test(name) ? schema.items : undefined);
  const branches = [schema.allOf, schema.oneOf, schema.anyOf].flatMap((branch) => branch ?? []);
  return (next !== undefined && hasMember(next, rest)) || branches.some((branch) => hasMember(branch, [name, ...rest]));
}
