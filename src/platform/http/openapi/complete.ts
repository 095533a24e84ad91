// Completes the OpenAPI document: error responses from declared problems, common headers, examples and shared components.
import { STATUS_CODES } from 'node:http';
import { mapYielding } from '../../../core/map-yielding.ts';
import { type ProblemName, problems } from '../../../core/problems.ts';
import { ProblemSchema } from '../route.ts';
import { openSchemas } from './components.ts';
import type { Document, Media, Operation, Ref, Response } from './document.ts';
import { addExamples } from './examples.ts';

const headers = {
  'X-Request-Id': {
    required: true,
    description: 'Id of the request: the X-Request-Id that you sent if it is a UUID, else a new one.',
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: { required: true, description: 'Entity tag, to send as If-None-Match.', schema: { type: 'string' } },
  'Retry-After': { required: true, description: 'Seconds to wait before the next attempt.', schema: { type: 'string' } },
  'WWW-Authenticate': {
    required: true,
    description: 'The authentication scheme, and why the credentials were refused.',
    schema: { type: 'string' },
  },
};
const HEADERS_OF: Record<string, (keyof typeof headers)[]> = {
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
const UNNAMED = 'Default Response';
/** Problems with more members than code and message: their examples are recorded, not generated. */
const DETAILED: ReadonlySet<ProblemName> = new Set([
  'validation',
  'conflict',
  'externalIdTaken',
  'allocationRuleActive',
  'duplicateDocument',
  'serverError',
]);

/** Completes the generated document of a service, path by path, beside other requests. Throws if two schemas have one title. */
export async function completeDocument(generated: object, mediaType: string): Promise<Document> {
  const document = JSON.parse(JSON.stringify(generated)) as Document;
  await mapYielding(Object.values(document.paths), (operations) => completePath(operations, mediaType), 1);
  // Before responses are shared: a response with its own example stays in its operation.
  await addExamples(document, mediaType);
  const shared = await shareResponses(document);
  const { schemas, hoist } = openSchemas();
  const hoisted = await mapYielding(Object.entries(document.paths), ([path, operations]) => [path, hoist(operations)], 1);
  const paths = Object.fromEntries(hoisted) as Document['paths'];
  const webhooks = hoist(document.webhooks);
  const components = { ...document.components, responses: hoist(shared), headers };
  // The schemas of everything above.
  return { ...document, paths, webhooks, components: { ...components, schemas: schemas() } };
}

function completePath(operations: Document['paths'][string], mediaType: string): void {
  for (const [method, operation] of Object.entries(operations)) {
    completeBody(operation);
    completeResponses(operation, method, mediaType);
  }
}

/** The generator requires every body. */
function completeBody(operation: Operation): void {
  if (operation['x-optional-body']) operation.requestBody!.required = false;
  delete operation['x-optional-body'];
}

function completeResponses(operation: Operation, method: string, mediaType: string): void {
  const responses = operation.responses as Record<string, Response>;
  const byStatus = Map.groupBy(operation['x-problems'] ?? [], (name) => problems[name].status);
  for (const [status, names] of byStatus) responses[status] = refusal([...new Set(names)], mediaType);
  delete operation['x-problems'];
  for (const parameter of operation.parameters ?? []) {
    // These are the defaults of OpenAPI, but some client generators need them to repeat a list parameter.
    if (parameter.in === 'query' && parameter.schema.type === 'array') Object.assign(parameter, { style: 'form', explode: true });
  }
  const ok = responses[200];
  if (method === 'get' && operation['x-tagged'] && ok?.content) {
    ok.headers = { ETag: refTo('headers', 'ETag') };
    responses[304] = { description: 'Not Modified. If-None-Match names the current ETag.' };
  }
  delete operation['x-tagged'];
  for (const [status, generated] of Object.entries(responses)) {
    const response = separateRepresentation(generated);
    responses[status] = response;
    if (response.headers?.Location) response.headers.Location = { required: true, ...response.headers.Location };
    if (response.description === UNNAMED) response.description = STATUS_CODES[status]!;
    const names = [...(HEADERS_OF[status] ?? []), 'X-Request-Id'];
    response.headers = { ...response.headers, ...Object.fromEntries(names.map((name) => [name, refTo('headers', name)])) };
  }
}

/**
 * Moves a body that comes only when the request prefers it from `content` to `x-representation`: generated clients read `content`
 * always, and fail on an empty body after the resource exists.
 */
function separateRepresentation(response: Response): Response {
  const { content, ...rest } = response;
  const schemas = Object.values(content ?? {}).map(({ schema }) => schema as Record<string, unknown>);
  if (!schemas.some((schema) => schema['x-represents'])) return response;
  for (const schema of schemas) delete schema['x-represents'];
  return { ...rest, 'x-representation': content };
}

/** The response of an error status: its possible codes with their messages. */
function refusal(names: ProblemName[], mediaType: string): Response {
  const description = [...new Set(names.map((name) => `\`${problems[name].code}\` ${problems[name].message}`))].join('\n\n');
  const codes = [...new Set(names.map((name) => problems[name].code))];
  const schema = { allOf: [ProblemSchema, { type: 'object', properties: { code: { type: 'string', enum: codes } } }] };
  const examples = examplesOf(names.filter((name) => !DETAILED.has(name)));
  return { description, content: { [mediaType]: { schema: JSON.parse(JSON.stringify(schema)) as object, examples } } };
}

/** Returns an example per code: the body of the first problem with that code. */
function examplesOf(names: ProblemName[]): NonNullable<Media['examples']> {
  const bodies = names.map((name) => [
    problems[name].code,
    { value: { code: problems[name].code, message: problems[name].message } },
  ]);
  return Object.fromEntries(bodies.reverse());
}

/** Moves the most common response of each error status to the components. Returns those by name. */
async function shareResponses({ paths }: Document): Promise<Record<string, Response>> {
  const shared: Record<string, Response> = {};
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const statuses = [...new Set(operations.flatMap(({ responses }) => Object.keys(responses)))];
  const share = (status: string) => {
    const withStatus = operations.filter(({ responses }) => Number(status) >= 300 && responses[status]);
    const alike = Map.groupBy(withStatus, ({ responses }) => JSON.stringify(responses[status]));
    const [[text, most] = ['', []]] = [...alike].sort(([, a], [, b]) => b.length - a.length);
    if (most.length < 2) return;
    const name = STATUS_CODES[status]!.replaceAll(' ', '');
    shared[name] = JSON.parse(text) as Response;
    for (const { responses } of most) responses[status] = refTo('responses', name);
  };
  await mapYielding(statuses, share, 1);
  return shared;
}

function refTo(kind: string, name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}
