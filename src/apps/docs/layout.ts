// The frame of a documentation page: navigation with guides and operations, and the search.
import { writePage } from '../../platform/pages/frame.ts';
import { type Html, html } from '../../platform/pages/html.ts';
import { icon } from '../../platform/pages/parts.ts';
import type { Guide } from './guides.ts';
import { anchorOf, type Heading } from './markdown.ts';
import type { Operation } from './operation.ts';

type Group = { tag: string; description: string; operations: Operation[] };

/** What the navigation lists. */
export type Contents = { guides: Guide[]; operating: Guide[]; groups: Group[]; hasConsole: boolean };

export type DocsPage = {
  title: string;
  /** The path of the page. */
  path: string;
  main: Html;
  headings?: Heading[];
  query?: string;
  /** The tag whose operations the navigation shows. */
  tag?: string;
  hasTry?: boolean;
};

export function writeDocsPage(contents: Contents, page: DocsPage): string {
  const { title, path, main, headings = [], query = '', tag, hasTry } = page;
  const listed = headings.filter(({ depth }) => depth === 2);
  return writePage({
    title,
    area: 'docs',
    areas: contents.hasConsole ? ['console', 'docs'] : ['docs'],
    navigation: navigationOf(contents, path, tag),
    bar: searchForm(query),
    main,
    ...(listed.length > 1 && { aside: asideOf(listed) }),
    styles: ['docs.css'],
    scripts: ['docs.js', ...(hasTry ? ['docs-try.js'] : [])],
  });
}

function navigationOf({ guides, operating, groups }: Contents, path: string, current: string | undefined) {
  const link = (href: string, label: string) => ({ href, label, isCurrent: href === path });
  const operations = (group: Group) => group.operations.map(({ id, summary }) => link(`/docs/reference/${id}`, summary));
  return [
    { links: [link('/docs', 'Overview')] },
    { title: 'Guides', links: guides.map(({ path, title }) => link(path, title)) },
    {
      title: 'Reference',
      links: [
        ...groups.map((group) => ({
          ...link(`/docs/reference#${anchorOf(group.tag)}`, capital(group.tag)),
          ...(group.tag === current && { links: operations(group) }),
        })),
        link('/docs/webhooks', 'Webhook requests'),
        link('/docs/refusals', 'All refusals'),
      ],
    },
    { title: 'Operating', links: operating.map(({ path, title }) => link(path, title)) },
  ];
}

export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A query is a few words. */
export const QUERY_MAX = 200;

function searchForm(query: string): Html {
  return html`<form class="bar-search docs-search" action="/docs/search" role="search">
    ${icon('magnifying-glass', 'small')}
    <input
      class="input"
      type="search"
      name="q"
      maxlength=${QUERY_MAX}
      value=${query}
      placeholder="Search the documentation"
      aria-label="Search the documentation"
      autocomplete="off"
      spellcheck="false"
    />
    <ol class="found" id="found" hidden />
  </form>`;
}

function asideOf(headings: Heading[]): Html {
  return html`<nav class="on-page" aria-labelledby="on-page">
    <h2 id="on-page">On this page</h2>
    <ul>
      ${headings.map(({ text, anchor }) => html`<li><a href=${`#${anchor}`}>${text}</a></li>`)}
    </ul>
  </nav>`;
}
