// The guides in docs/guides and the pages for operators in docs/operations, in reading order.
import { readFileSync } from 'node:fs';
import { mapYielding } from '../../core/map-yielding.ts';
import { PACKAGE_ROOT } from '../../core/package-root.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';

export type Guide = Rendered & { path: string };

/** One file each; the first guide is the next step after the installation. */
const FOLDERS = {
  guides: [
    'first-reallocation',
    'retries',
    'lists-and-filters',
    'labels-and-funds',
    'currencies',
    'holds',
    'returns',
    'reconciliation',
    'schedules-and-monitors',
    'statements',
    'owners-and-documents',
    'automatic-document-checks',
    'webhooks-and-feed',
    'rehearsing-failures',
    'testing',
    'errors',
    'from-a-secret-to-a-key',
    'console',
    'going-to-production',
    'operating',
  ],
  operations: [
    'deployment',
    'high-availability',
    'sizing',
    'settings',
    'monitoring',
    'runbooks',
    'kubernetes',
    'cluster',
    'people',
    'document-checks',
    'exports',
    'transparency-log',
    'jobs',
    'backup',
    'upgrades',
    'keys',
  ],
};

/** Lets the event loop answer requests after each guide: a busy machine takes a second to write all of them as HTML. */
export function readGuides(folder: keyof typeof FOLDERS): Promise<Guide[]> {
  const read = (name: string): Guide => {
    const text = readFileSync(new URL(`docs/${folder}/${name}.md`, PACKAGE_ROOT), 'utf8');
    return { path: `/docs/${folder}/${name}`, ...renderMarkdown(text, `/docs/${folder}`) };
  };
  return mapYielding(FOLDERS[folder], read, 1);
}
