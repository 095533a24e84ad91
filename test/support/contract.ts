// Checks every answer of the tests against the OpenAPI document of the service.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { mapValues } from './map-values.ts';
import { ROOT } from './paths.ts';
import { messagesOf, UNCLEAR } from './plain-messages.ts';

type Content = Record<string, { schema: object }>;
type Response = { content?: Content; 'x-representation'?: Content; headers?: Record<string, Header | { $ref: string }> };
type Header = { required?: boolean };
type Operation = {
  operationId: string;
  security?: Record<string, string[]>[];
  responses: Record<string, Response | { $ref: string }>;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: object; headers?: object; responses?: Record<string, Response> };
};
type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown; text?: string };
export type Contract = (method: string, url: string, answer: Answer) => string | undefined;

let committed: Contract | undefined;

/**
 * The contract of openapi.json, shared by the services of a file. test/openapi.test.ts fails unless a sandbox with the standard media
 * types serves exactly this document.
 */
export function committedContract(): Contract {
  committed ??= openContract(JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as Document, {
    hint: ' (answers are checked against openapi.json, which `npm run openapi` updates)',
  });
  return committed;
}

/**
 * Returns a function that checks an answer and returns the id of its operation. A path that the document does not list is not checked;
 * a method that a listed path does not have must give 404 or 405.
 */
export function openContract(document: Document, { hint = '' }: { hint?: string } = {}): Contract {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false }));
  ajv.addSchema(closed(answersOf(document)) as object, 'openapi');
  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]*')}$`),
    operations,
  }));

  return (method, url, answer) => {
    const known = paths.find(({ pattern }) => pattern.test(url.split('?', 1)[0]!));
    if (!known) return undefined;
    const { status, headers, body } = answer;
    const where = `${method} ${known.path} → ${status}`;
    if (status >= 400) for (const message of messagesOf(body)) assert.doesNotMatch(message, UNCLEAR, where);
    const operation = known.operations[method.toLowerCase()];
    if (!operation) {
      assert.ok([404, 405].includes(status), `${where}: no such operation`);
      return undefined;
    }
    const place = pointerOf(['paths', known.path, method.toLowerCase(), 'responses', String(status)]);
    const declared = operation.responses[status];
    assert.ok(declared, `${where} is not in the OpenAPI document${hint}`);
    const [at, response] = resolve<Response>(document, place, declared);
    for (const [name, header] of Object.entries(response.headers ?? {})) {
      const [, { required }] = resolve<Header>(document, '', header);
      assert.ok(!required || headers[name.toLowerCase()] !== undefined, `${where} has no ${name}`);
    }
    if (body === undefined && answer.text === '') {
      assert.equal(response.content, undefined, `${where} has no body`);
      return operation.operationId;
    }
    const sent = String(headers['content-type']).split(';')[0]!;
    const member = response.content ? 'content' : 'x-representation';
    const mediaTypes = Object.keys(response[member] ?? {});
    const mediaType = mediaTypes.includes(sent) ? sent : mediaTypes[0];
    if (mediaType === undefined) assert.equal(body, undefined, `${where} has a body`);
    else {
      assert.equal(sent, mediaType, `${where}: media type`);
      const validate = ajv.getSchema(`openapi${at}${pointerOf([member, mediaType, 'schema']).slice(1)}`) as ValidateFunction;
      assert.ok(
        validate(/json/.test(mediaType) ? body : answer.text),
        `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}${hint}`,
      );
    }
    return operation.operationId;
  };
}

/** The part of a document that answers are checked against: no requests and no examples. */
function answersOf({ paths, components: { schemas, headers, responses } = {} }: Document): object {
  const schemasOf = (response: Response | { $ref: string }) => {
    if ('$ref' in response) return response;
    const { content, 'x-representation': representation } = response;
    return Object.fromEntries(
      Object.entries({ content, 'x-representation': representation }).flatMap(([member, media]) =>
        media ? [[member, mapValues(media, ({ schema }) => ({ schema }))]] : [],
      ),
    );
  };
  return {
    paths: mapValues(paths, (path) => mapValues(path, (operation) => ({ responses: mapValues(operation.responses, schemasOf) }))),
    components: { schemas, headers, ...(responses && { responses: mapValues(responses, schemasOf) }) },
  };
}

/** Adds additionalProperties: false to schemas, so that an undocumented member in an answer fails. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(
    // The schemas of allOf share their members.
    Object.entries(schema).map(([name, member]) => [name, name === 'allOf' ? member : closed(member)]),
  );
  return members.type === 'object' && members.properties ? { additionalProperties: false, ...members } : members;
}

/** Resolves a reference to the part of the document and its JSON pointer. */
function resolve<T>(document: object, place: string, part: T | { $ref: string }): [string, T] {
  const { $ref } = part as { $ref?: string };
  if ($ref === undefined) return [place, part as T];
  const names = $ref.split('/').slice(1);
  return [$ref, names.reduce((node: unknown, name) => (node as Record<string, unknown>)[name], document) as T];
}

function pointerOf(names: string[]): string {
  return `#/${names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
}
