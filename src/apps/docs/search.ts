// The search index: one entry for each section of a guide, each operation and each webhook topic.
import { PACKAGE_ROOT } from '../../core/package-root.ts';
import type { Guide } from './guides.ts';
import type { Operation } from './operation.ts';

export type Entry = { kind: 'guide' | 'operation' | 'webhook'; title: string; url: string; text: string };
export type Find = (entries: Entry[], query: string) => Entry[];

/** The file that browsers use for results while typing, so that both find the same. */
const SEARCH = new URL('assets/docs-find.js', PACKAGE_ROOT);

export async function loadFind(): Promise<Find> {
  return ((await import(SEARCH.href)) as { find: Find }).find;
}

export function indexOf(parts: {
  guides: Guide[];
  operations: Operation[];
  topics: [topic: string, summary: string][];
}): Entry[] {
  return [
    ...parts.guides.flatMap(({ slug, title, sections }) =>
      sections.map(({ heading, text }): Entry => {
        const url = `/docs/guides/${slug}${heading ? `#${heading.anchor}` : ''}`;
        return { kind: 'guide', title: heading ? `${title}: ${heading.text}` : title, url, text };
      }),
    ),
    ...parts.operations.map(({ id, summary, method, path, description, tag }): Entry => {
      const text = `${method.toUpperCase()} ${path} ${id} ${tag}. ${description}`;
      return { kind: 'operation', title: summary, url: `/docs/reference/${id}`, text };
    }),
    ...parts.topics.map(([topic, summary]): Entry => {
      return { kind: 'webhook', title: topic, url: `/docs/webhooks#${topic}`, text: `${summary}. Webhook topic, event.` };
    }),
  ];
}
