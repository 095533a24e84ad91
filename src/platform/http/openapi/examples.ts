// The examples of the OpenAPI document: recorded by `npm run openapi` in reference/examples.json, with fixed ids and times.
import { readFileSync } from 'node:fs';
import { mapYielding } from '../../../core/map-yielding.ts';
import { PACKAGE_ROOT } from '../../../core/package-root.ts';
import type { Document, Media, Operation, Response } from './document.ts';

export type Examples = {
  /** The sandbox that was recorded, with the ids used in the examples. */
  sandbox: { base_url: string; account_id: string; client_id: string; customer: string; labels: [from: string, to: string] };
  /**
   * By operationId: path and body of a successful request, and the responses by status and code; for a 201 its `location`. The path
   * includes the query.
   */
  operations: Record<string, { path?: string; request?: unknown; answers: Record<string, Record<string, unknown>> }>;
  /** Delivered bodies, by topic. */
  webhooks: Record<string, unknown>;
};

const FILE = new URL('reference/examples.json', PACKAGE_ROOT);
const RECORDED_TYPE = 'application/vnd.earmark.v1.hal+json';

/** Reads the recorded examples and inserts the media type of this service. */
export function readExamples(mediaType: string): Examples {
  return JSON.parse(readFileSync(FILE, 'utf8').replaceAll(RECORDED_TYPE, mediaType)) as Examples;
}

/** Adds the examples to a document whose responses are not shared yet. */
export async function addExamples({ paths, webhooks }: Document, mediaType: string): Promise<void> {
  const examples = readExamples(mediaType);
  const shown = shownByGet(paths, examples, mediaType);
  const add = (operation: Operation) => {
    const { request, answers } = examples.operations[operation.operationId ?? ''] ?? { answers: {} };
    if (request !== undefined) show(Object.values(operation.requestBody?.content ?? {}), { request });
    for (const [status, values] of Object.entries(answers)) {
      const response = operation.responses[status] as Response | undefined;
      if (!response) continue;
      const content = response.content ?? response['x-representation'];
      const hal = content?.[mediaType];
      const location = status === '201' ? locationIn(values) : undefined;
      if (location !== undefined) Object.assign(response.headers!.Location!, { example: location });
      if (content) show(hal ? [hal] : Object.values(content), location === undefined ? values : shown(hal!));
    }
  };
  await mapYielding(Object.values(paths), (path) => Object.values(path).forEach(add), 1);
  for (const [topic, { post }] of Object.entries(webhooks)) {
    if (examples.webhooks[topic]) show(Object.values(post.requestBody!.content), { delivery: examples.webhooks[topic] });
  }
}

function show(media: Media[], values: Record<string, unknown>): void {
  const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
  for (const item of media) item.examples = { ...item.examples, ...named };
}

/** The location of a recorded creation whose body was empty. */
function locationIn({ answer }: Record<string, unknown>): string | undefined {
  const { location, _links } = answer as { location?: string; _links?: object };
  return _links ? undefined : location;
}

/** Returns a function from the content of a response to what a GET with the same schema was recorded to show. */
function shownByGet(paths: Document['paths'], examples: Examples, mediaType: string) {
  const titleOf = (media: Media | undefined) => (media?.schema as { title?: string } | undefined)?.title;
  const recorded = Object.values(paths).flatMap(({ get }) => {
    const media = (get?.responses[200] as Response | undefined)?.content?.[mediaType];
    const answer = examples.operations[get?.operationId ?? '']?.answers[200]?.answer;
    return answer === undefined ? [] : [[titleOf(media), answer] as const];
  });
  return (media: Media): Record<string, unknown> => {
    const found = recorded.find(([title]) => title === titleOf(media));
    return found ? { representation: found[1] } : {};
  };
}
