// The operations of the API as the documentation shows them, read from the OpenAPI document.
import { type OpenApi, type OpenApiOperation, type Parameter, type Response, resolve, type Schema } from './openapi.ts';

type Method = 'get' | 'post' | 'delete';
export type Refusal = { status: string; code: string; message: string };

export type Operation = {
  id: string;
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description: string;
  /** The scope that a token needs; empty for any token, undefined for an operation without a token. */
  scope: string | undefined;
  /** The credentials of the application are sent with the request. */
  withCredentials: boolean;
  parameters: Parameter[];
  body: { mediaType: string; schema: Schema; example: unknown } | undefined;
  success: {
    status: string;
    description: string;
    location: string | undefined;
    mediaType: string;
    schema?: Schema;
    example: unknown;
  };
  refusals: Refusal[];
  /** A body of each refusal that has more than a code and a message. */
  refusalExamples: { status: string; name: string; value: unknown }[];
};

/** A line of a response's description: the code and the message of a refusal. */
const REFUSAL = /^`(\w+)` (.+)$/gm;
const JSON_TYPE = 'application/json';

/** Returns all operations, grouped by tag in the order of the document. */
export function operationsOf(document: OpenApi): { tag: string; description: string; operations: Operation[] }[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(document, { path, method: method as Method, operation })),
  );
  return document.tags
    .map(({ name, description }) => ({ tag: name, description, operations: all.filter(({ tag }) => tag === name) }))
    .filter(({ operations }) => operations.length > 0);
}

/** The refusals of all operations by code, in the order of their statuses. */
export function refusalsByCode(operations: Operation[]) {
  const all = operations.flatMap((operation) => operation.refusals.map((refusal) => ({ ...refusal, operation })));
  const codes = [...Map.groupBy(all, ({ code }) => code)].sort(([, [a]], [, [b]]) => Number(a!.status) - Number(b!.status));
  return codes.map(([code, found]) => ({
    code,
    statuses: [...new Set(found.map(({ status }) => status))],
    messages: [...new Set(found.map(({ message }) => message))],
    operations: [...new Set(found.map(({ operation }) => operation))],
  }));
}

type Found = { path: string; method: Method; operation: OpenApiOperation };

function readOperation(document: OpenApi, { path, method, operation }: Found): Operation {
  const { operationId, summary, description = '', tags, security, parameters = [] } = operation;
  const application = security.find((scheme) => 'application' in scheme)?.application;
  const responses = Object.entries(operation.responses).map(([status, response]) => ({
    status,
    response: resolve(document, response),
  }));
  const refused = responses.filter(({ status }) => Number(status) >= 400);
  return {
    ...{ id: operationId, method, path, tag: tags[0], summary, description, parameters },
    scope: application && (application[0] ?? ''),
    withCredentials: security.some((scheme) => 'client' in scheme),
    body: bodyOf(operation),
    success: successOf(responses.find(({ status }) => status.startsWith('2'))!),
    refusals: refused.flatMap(refusalsOf),
    refusalExamples: refused.flatMap(({ status, response }) =>
      Object.values(response.content ?? {}).flatMap(({ examples = {} }) =>
        Object.entries(examples).flatMap(([name, { value }]) => (isDetailed(value) ? [{ status, name, value }] : [])),
      ),
    ),
  };
}

function bodyOf({ requestBody }: OpenApiOperation): Operation['body'] {
  const content = Object.entries(requestBody?.content ?? {});
  const [found] = content.filter(([mediaType]) => mediaType === JSON_TYPE).concat(content);
  if (!found) return undefined;
  const [mediaType, { schema = {}, examples }] = found;
  return { mediaType, schema, example: Object.values(examples ?? {})[0]?.value };
}

function successOf({ status, response }: { status: string; response: Response }): Operation['success'] {
  const [[mediaType, media] = ['', undefined]] = Object.entries(response.content ?? response['x-representation'] ?? {});
  const location = response.headers?.Location?.example;
  return {
    ...{ status, description: response.description ?? '', mediaType, ...(media?.schema && { schema: media.schema }) },
    location: location === undefined ? undefined : String(location),
    example: Object.values(media?.examples ?? {})[0]?.value,
  };
}

/** The codes with their messages, from the description; of an OAuth endpoint from the examples. */
function refusalsOf({ status, response }: { status: string; response: Response }): Refusal[] {
  const named = [...(response.description ?? '').matchAll(REFUSAL)].map(([, code, message]) => ({
    ...{ status, code: code!, message: message! },
  }));
  if (named.length > 0) return named;
  const examples = Object.values(response.content ?? {}).flatMap((media) => Object.values(media.examples ?? {}));
  return examples.map(({ value }) => ({ status, ...(value as { code: string; message: string }) }));
}

function isDetailed(value: unknown): boolean {
  return Object.keys(value as object).some((member) => member !== 'code' && member !== 'message');
}
