// Makes the OpenAPI document of what the routes said: refusals as answers, what every answer has, and everything that repeats in one place.
import { STATUS_CODES } from 'node:http';
import { type ProblemName, problems } from '../../problems.ts';
import { ProblemSchema } from '../route.ts';
import { hoistSchemas } from './components.ts';
import type { Document, Media, Operation, Ref, Response } from './document.ts';
import { addExamples } from './examples.ts';

const headers = {
  'X-Request-Id': {
    required: true,
    description: 'Names the request: the one that was sent when it is a UUID.',
    schema: { type: 'string', format: 'uuid' },
  },
  ETag: { required: true, description: 'To send as If-None-Match.', schema: { type: 'string' } },
  'Retry-After': { required: true, description: 'Seconds to wait.', schema: { type: 'string' } },
  'WWW-Authenticate': { required: true, description: 'What was wrong with the credentials.', schema: { type: 'string' } },
};
const HEADERS_OF: Record<string, (keyof typeof headers)[]> = {
  304: ['ETag'],
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};
const UNNAMED = 'Default Response';
/** Their answers hold more than code and message: an example of them is recorded, or there is none. */
const DETAILED: ReadonlySet<ProblemName> = new Set(['validation', 'conflict', 'duplicateDocument', 'serverError']);

/** The document of a service that answers in a media type. Throws when two schemas have one title. */
export function finish(drawn: object, mediaType: string): Document {
  const document = JSON.parse(JSON.stringify(drawn)) as Document;
  for (const operations of Object.values(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) answersOf(operation, method, mediaType);
  }
  // Before answers are shared: one with an example of its own stays with its operation.
  addExamples(document, mediaType);
  document.components.responses = shareResponses(document);
  document.components.headers = headers;
  const { paths, webhooks, components } = document;
  const { schemas, rewritten } = hoistSchemas({ paths, webhooks, responses: components.responses });
  const { responses, ...rest } = rewritten;
  return { ...document, ...rest, components: { ...components, schemas, responses } };
}

function answersOf(operation: Operation, method: string, mediaType: string): void {
  const responses = operation.responses as Record<string, Response>;
  const byStatus = Map.groupBy(operation['x-refusals'] ?? [], (name) => problems[name].status);
  for (const [status, names] of byStatus) responses[status] = refusal([...new Set(names)], mediaType);
  delete operation['x-refusals'];
  for (const parameter of operation.parameters ?? []) {
    // The defaults of OpenAPI, said for generators: a list is sent as a repeated parameter.
    if (parameter.in === 'query' && parameter.schema.type === 'array') Object.assign(parameter, { style: 'form', explode: true });
  }
  const ok = responses[200];
  if (method === 'get' && ok?.content?.[mediaType]) {
    ok.headers = { ETag: refTo('headers', 'ETag') };
    responses[304] = { description: 'What If-None-Match names is current.' };
  }
  for (const [status, response] of Object.entries(responses)) {
    if (response.headers?.Location) response.headers.Location = { required: true, ...response.headers.Location };
    if (response.description === UNNAMED) response.description = STATUS_CODES[status]!;
    const names = [...(HEADERS_OF[status] ?? []), 'X-Request-Id'];
    response.headers = { ...response.headers, ...Object.fromEntries(names.map((name) => [name, refTo('headers', name)])) };
  }
}

/** The answer of a status: the codes it can have, with their messages. */
function refusal(names: ProblemName[], mediaType: string): Response {
  const description = [...new Set(names.map((name) => `\`${problems[name].code}\` ${problems[name].message}`))].join('\n\n');
  const codes = [...new Set(names.map((name) => problems[name].code))];
  const schema = { allOf: [ProblemSchema, { type: 'object', properties: { code: { type: 'string', enum: codes } } }] };
  const examples = examplesOf(names.filter((name) => !DETAILED.has(name)));
  return { description, content: { [mediaType]: { schema: JSON.parse(JSON.stringify(schema)) as object, examples } } };
}

/** By code: what the first problem with it answers, to any operation. */
function examplesOf(names: ProblemName[]): NonNullable<Media['examples']> {
  const answers = names.map((name) => [
    problems[name].code,
    { value: { code: problems[name].code, message: problems[name].message } },
  ]);
  return Object.fromEntries(answers.reverse());
}

/** Moves the most common answer of each status but success to the components, and gives those by name. */
function shareResponses({ paths }: Document): Record<string, Response> {
  const shared: Record<string, Response> = {};
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const status of new Set(operations.flatMap(({ responses }) => Object.keys(responses)))) {
    const giving = operations.filter(({ responses }) => Number(status) >= 300 && responses[status]);
    const alike = Map.groupBy(giving, ({ responses }) => JSON.stringify(responses[status]));
    const [[text, most] = ['', []]] = [...alike].sort(([, a], [, b]) => b.length - a.length);
    if (most.length < 2) continue;
    const name = STATUS_CODES[status]!.replaceAll(' ', '');
    shared[name] = JSON.parse(text) as Response;
    for (const { responses } of most) responses[status] = refTo('responses', name);
  }
  return shared;
}

function refTo(kind: string, name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}
