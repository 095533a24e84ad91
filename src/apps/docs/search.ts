// The search index: one entry for each section of a guide or a page for operators, each operation, webhook topic and code of a refusal.
import { PACKAGE_ROOT } from '../../core/package-root.ts';
import type { Guide } from './guides.ts';
import { type Operation, refusalsByCode } from './operation.ts';

export type Entry = {
  kind: 'guide' | 'operating' | 'operation' | 'webhook' | 'refusal';
  title: string;
  url: string;
  text: string;
};
export type Find = (entries: Entry[], query: string) => Entry[];

/** The file that browsers use for results while typing, so that both find the same. */
const SEARCH = new URL('assets/docs-find.js', PACKAGE_ROOT);

export async function loadFind(): Promise<Find> {
  return ((await import(SEARCH.href)) as { find: Find }).find;
}

export function indexOf(parts: {
  guides: Guide[];
  operating: Guide[];
  operations: Operation[];
  topics: [topic: string, summary: string][];
}): Entry[] {
  return [
    ...parts.guides.flatMap((guide) => sectionsOf(guide, 'guide')),
    ...parts.operating.flatMap((guide) => sectionsOf(guide, 'operating')),
    ...parts.operations.map(({ id, summary, method, path, description, tag }): Entry => {
      const text = `${method.toUpperCase()} ${path} ${id} ${tag}. ${description}`;
      return { kind: 'operation', title: summary, url: `/docs/reference/${id}`, text };
    }),
    ...parts.topics.map(([topic, summary]): Entry => {
      return { kind: 'webhook', title: topic, url: `/docs/webhooks#${topic}`, text: `${summary}. Webhook topic, event.` };
    }),
    ...refusalsByCode(parts.operations).map(({ code, messages }): Entry => {
      return { kind: 'refusal', title: code, url: `/docs/refusals#${code}`, text: messages.join(' ') };
    }),
  ];
}

function sectionsOf({ path, title, sections }: Guide, kind: Entry['kind']): Entry[] {
  return sections.map(({ heading, text }) => {
    const url = `${path}${heading ? `#${heading.anchor}` : ''}`;
    return { kind, title: heading ? `${title}: ${heading.text}` : title, url, text };
  });
}
