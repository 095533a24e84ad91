// The guides in docs/guides, in reading order.
import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from '../../core/package-root.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';

export type Guide = Rendered & { slug: string };

const FOLDER = new URL('docs/guides/', PACKAGE_ROOT);

/** One file each; the first is the next step after the installation. */
const GUIDES = [
  'first-reallocation',
  'retries',
  'labels-and-funds',
  'owners-and-documents',
  'automatic-document-checks',
  'webhooks-and-feed',
  'rehearsing-failures',
  'errors',
  'going-to-production',
  'operating',
];

export function readGuides(): Guide[] {
  return GUIDES.map((slug) => ({ slug, ...renderMarkdown(readFileSync(new URL(`${slug}.md`, FOLDER), 'utf8')) }));
}
