// Holds every answer of the suite against the OpenAPI document of the service that gave it.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Response = { content?: Record<string, { schema: object }>; headers?: Record<string, unknown> };
type Document = { paths: Record<string, Record<string, { responses: Record<string, Response> }>> };
type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown };

/** Makes the check of one document. Answers of paths it does not list, and of methods they do not have, must be 404 and 405. */
export function openContract(document: Document): (method: string, url: string, answer: Answer) => void {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  const compiled = new Map<object, ValidateFunction>();
  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]*')}$`),
    operations,
  }));

  return (method, url, answer) => {
    const known = paths.find(({ pattern }) => pattern.test(url.split('?', 1)[0]!));
    if (!known) return;
    const where = `${method} ${known.path} → ${answer.status}`;
    const operation = known.operations[method.toLowerCase()];
    if (!operation) return assert.ok([404, 405].includes(answer.status), `${where}: no such operation`);
    if (answer.status === 304) return;
    const declared = operation.responses[answer.status];
    assert.ok(declared, `${where} is not in the OpenAPI document`);
    if (declared.headers && 'Location' in declared.headers) assert.ok(answer.headers.location, `${where} has no Location`);
    const [mediaType, content] = Object.entries(declared.content ?? {})[0] ?? [];
    if (!content) return assert.equal(answer.body, undefined, `${where} has a body`);
    assert.equal(String(answer.headers['content-type']).split(';')[0], mediaType, `${where}: media type`);
    const validate = compiled.get(content.schema) ?? ajv.compile(closed(content.schema) as object);
    compiled.set(content.schema, validate);
    assert.ok(validate(answer.body), `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(answer.body)}`);
  };
}

/** A schema that takes no member it does not name: answers are sent as they are, so one too many would reach the client. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)]));
  return members.type === 'object' && members.properties ? { additionalProperties: false, ...members } : members;
}
