// The frame of every page: head, bar, navigation and content.
import { VERSION } from '../../core/version.ts';
import { assetUrl } from './assets.ts';
import { type Html, html, renderDocument } from './html.ts';
import type { IconName } from './icon-sprite.ts';
import { icon } from './parts.ts';

/** A list of links in the navigation. `count` is shown beside a link, such as the length of a queue. */
export type Section = { title?: string; links: NavigationLink[] };
type NavigationLink = {
  href: string;
  label: string;
  icon?: IconName;
  isCurrent?: boolean;
  count?: string | undefined;
  /** Links below this one, such as the operations of a resource. */
  links?: NavigationLink[];
};

type Page = {
  /** The first part of the title of the window. */
  title: string;
  /** The tab of the bar that the page belongs to. */
  area?: keyof typeof AREAS;
  /** The tabs of the bar; the documentation alone where the console is switched off. */
  areas?: (keyof typeof AREAS)[];
  /** Without it the page has no side bar. */
  navigation?: Section[];
  /** Content of the bar: a search, a badge, the person who is signed in. */
  bar?: Html;
  main: Html;
  /** A list beside the content, such as the headings of a guide. */
  aside?: Html;
  foot?: boolean;
  /** Names of modules in `assets/`. */
  scripts?: string[];
  /** Names of style sheets in `assets/`, beside that of every page. */
  styles?: string[];
};

const AREAS = { console: { href: '/console', label: 'Console' }, docs: { href: '/docs', label: 'Docs' } };

/** Writes a page. */
export function writePage({
  title,
  area,
  areas = [],
  navigation,
  bar,
  main,
  aside,
  foot,
  scripts = [],
  styles = [],
}: Page): string {
  return renderDocument(html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${title === 'Earmark' ? title : `${title} · Earmark`}</title>
      <link rel="icon" type="image/svg+xml" href=${assetUrl('mark.svg')} />
      <link rel="preload" as="font" type="font/woff2" href=${assetUrl('inter-latin.woff2')} crossorigin="anonymous" />
      <script src=${assetUrl('theme.js')}></script>
      ${['shell.css', ...styles].map((name) => html`<link rel="stylesheet" href=${assetUrl(name)} />`)}
      ${scripts.map((name) => html`<script type="module" src=${assetUrl(name)}></script>`)}
    </head>
    <body>
      <a class="skip" href="#main">Skip to the content</a>
      ${barOf({ area, areas, navigation, bar })}
      <div class=${navigation ? 'frame' : 'frame frame-plain'}>
        ${navigation && sideOf(navigation)}
        <main class="main" id="main" tabindex="-1">
          ${aside ? html`<div class="with-aside"><div>${main}</div><aside class="aside">${aside}</aside></div>` : main}
        </main>
      </div>
      ${foot && html`<footer class="foot">Earmark ${VERSION}</footer>`}
    </body>
  </html>`);
}

function barOf({ area, areas = [], navigation, bar }: Pick<Page, 'area' | 'areas' | 'navigation' | 'bar'>): Html {
  return html`<header class="bar">
    ${
      navigation &&
      html`<button class="button button-quiet button-icon menu-button" type="button" popovertarget="navigation" aria-label="Menu">
        ${icon('bars-3')}
      </button>`
    }
    <a class="brand" href="/">${mark()}<span>Earmark</span></a>
    <nav class="areas" aria-label="Areas">
      ${areas.map((name) => {
        const { href, label } = AREAS[name];
        return html`<a href=${href} aria-current=${name === area ? 'true' : undefined}>${label}</a>`;
      })}
    </nav>
    ${bar}
    <div class=${bar ? '' : 'bar-end'}>
      <button class="button button-quiet button-icon theme-switch" type="button" aria-label="Theme">
        ${themeIcon('for-system', 'computer-desktop')} ${themeIcon('for-light', 'sun')} ${themeIcon('for-dark', 'moon')}
      </button>
    </div>
  </header>`;
}

function sideOf(navigation: Section[]): Html {
  return html`<nav class="side" id="navigation" popover="auto" aria-label="Pages">
    ${navigation.map(
      ({ title, links }) => html`${title && html`<h2>${title}</h2>`}
        ${linkList(links)}`,
    )}
  </nav>`;
}

function linkList(links: NavigationLink[]): Html {
  return html`<ul>
    ${links.map(
      (link) => html`<li>
        <a href=${link.href} aria-current=${link.isCurrent ? 'page' : undefined}>
          ${link.icon && icon(link.icon)}<span>${link.label}</span>
          ${link.count !== undefined && html`<span class="count">${link.count}</span>`}
        </a>
        ${link.links && linkList(link.links)}
      </li>`,
    )}
  </ul>`;
}

function themeIcon(className: string, name: IconName): Html {
  return html`<span class=${className}>${icon(name)}</span>`;
}

/** The mark of the project: a label with the notch of an earmark. */
function mark(): Html {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">
    <path
      fill="currentColor"
      fill-rule="evenodd"
      d="M6 2h12a4 4 0 0 1 4 4v2.500L17.500 12 22 15.500V18a4 4 0 0 1-4 4H6a4 4 0 0 1-4-4V6a4 4 0 0 1 4-4Zm1 6.500a1.250 1.250 0 0 0 0 2.500h5.500a1.250 1.250 0 0 0 0-2.500Zm0 4.500a1.250 1.250 0 0 0 0 2.500h3.500a1.250 1.250 0 0 0 0-2.500Z"
    />
  </svg>`;
}
