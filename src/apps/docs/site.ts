// All pages of the documentation, written once on their first request and then served from memory.
import { readExamples } from '../../platform/http/openapi/examples.ts';
import { type Credentials, variablesOf } from '../sandbox/credentials.ts';
import { type Guide, readGuides } from './guides.ts';
import { type Contents, type DocsPage, writeDocsPage } from './layout.ts';
import type { OpenApi } from './openapi.ts';
import { type Operation, operationsOf } from './operation.ts';
import { guidePage, missingPage, overviewPage, referencePage, refusalsPage, searchPage, webhooksPage } from './pages.ts';
import { operationPage, requestSample } from './reference/operation-page.ts';
import type { SampleContext } from './samples/program.ts';
import { type Entry, type Find, indexOf, loadFind } from './search.ts';

export type Site = {
  /** The page of a path, or undefined. The same string each time. */
  page(path: string): string | undefined;
  /** The page for a path that has none. */
  missing: string;
  /** The page of search results. */
  results(query: string): string;
  index: Entry[];
};

type SiteOptions = {
  document: OpenApi;
  baseUrl: string;
  vendor: string;
  mediaType: string;
  isSandbox: boolean;
  /** Of the sandbox whose resources the samples name. */
  credentials: Credentials | undefined;
  hasConsole: boolean;
};

export async function openSite({ document, ...rest }: SiteOptions): Promise<Site> {
  const options = { ...rest, document: rebased(document, rest) };
  const find: Find = await loadFind();
  const groups = operationsOf(options.document);
  const contents: Contents = {
    guides: await readGuides('guides'),
    operating: await readGuides('operations'),
    groups,
    hasConsole: rest.hasConsole,
  };
  const operations = groups.flatMap((group) => group.operations);
  const pages = listPages(contents, operations, options);
  const written = new Map<string, string>();
  const topics = Object.entries(options.document.webhooks).map(([topic, { post }]): [string, string] => [topic, post.summary]);
  const index = indexOf({ ...contents, operations, topics });
  const missing = writeDocsPage(contents, { title: 'Not found', path: '', main: missingPage() });
  return {
    index,
    missing,
    page(path) {
      const make = pages.get(path);
      if (!make) return undefined;
      const page = written.get(path) ?? writeDocsPage(contents, make());
      written.set(path, page);
      return page;
    },
    results(query) {
      const main = searchPage(query, find(index, query));
      return writeDocsPage(contents, { title: 'Search', path: '/docs/search', main, query });
    },
  };
}

/** The document with examples of this service: they are recorded at another URL. */
function rebased(document: OpenApi, { baseUrl, mediaType }: Pick<SiteOptions, 'baseUrl' | 'mediaType'>): OpenApi {
  const recorded = readExamples(mediaType).sandbox.base_url;
  return JSON.parse(JSON.stringify(document).replaceAll(recorded, baseUrl)) as OpenApi;
}

/** The request on the first page, and the one that shows what it made. */
const [FRONT, FRONT_MADE] = ['createLabelReallocation', 'getLabelReallocation'];

function listPages(contents: Contents, operations: Operation[], options: SiteOptions): Map<string, () => DocsPage> {
  const { document, isSandbox, mediaType } = options;
  const examples = readExamples(mediaType).operations;
  const samples = sampleContext(operations, options);
  const page = (path: string, title: string, main: () => DocsPage['main']): [string, () => DocsPage] => [
    path,
    () => ({ path, title, main: main() }),
  ];
  const operationNamed = (id: string) => samples.operations.get(id)!;
  const frontOf = () => ({
    description: document.info.description,
    sample: requestSample(operationNamed(FRONT), { document, isSandbox, examplePath: operationNamed(FRONT).path, samples }),
    made: JSON.stringify(operationNamed(FRONT_MADE).success.example, null, 2),
    hasTry: isSandbox,
  });
  const operationEntry = (operation: Operation): [string, () => DocsPage] => {
    const path = `/docs/reference/${operation.id}`;
    const examplePath = examples[operation.id]?.path ?? operation.path;
    const main = () => operationPage(operation, { document, isSandbox, examplePath, samples });
    return [path, () => ({ path, title: operation.summary, tag: operation.tag, main: main(), hasTry: isSandbox })];
  };
  return new Map([
    page('/docs', 'Documentation', () => overviewPage(contents, frontOf())),
    page('/docs/reference', 'Reference', () => referencePage(contents)),
    page('/docs/webhooks', 'Webhook requests', () => webhooksPage(document)),
    page('/docs/refusals', 'All refusals', () => refusalsPage(operations)),
    ...[contents.guides, contents.operating].flatMap((guides) => guides.map((guide, at) => guideEntry(guide, guides[at + 1]))),
    ...operations.map(operationEntry),
  ]);
}

/** The samples of a sandbox name its resources. Elsewhere they read the variables of `earmark sandbox env`. */
function sampleContext(operations: Operation[], { vendor, mediaType, baseUrl, credentials }: SiteOptions): SampleContext {
  const { sandbox } = readExamples(mediaType);
  const urls = { CUSTOMER: sandbox.customer, FROM: sandbox.labels[0], TO: sandbox.labels[1] };
  const recorded = Object.entries(urls).map(([name, url]) => [url.replace(sandbox.base_url, baseUrl), name] as const);
  return {
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    ...{ vendor, recorded: new Map(recorded), values: credentials ? variablesOf(credentials) : {} },
  };
}

function guideEntry(guide: Guide, next: Guide | undefined): [string, () => DocsPage] {
  const { path } = guide;
  return [path, () => ({ path, title: guide.title, main: guidePage(guide, next), headings: guide.headings })];
}
