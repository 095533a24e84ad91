// The frame of the console's pages: navigation for the person, and messages after an action.
import { FIRST_ID } from '../../core/ids.ts';
import { writePage } from '../../platform/pages/frame.ts';
import { type Html, html } from '../../platform/pages/html.ts';
import { badge, icon, notice } from '../../platform/pages/parts.ts';
import { inZone } from '../../platform/pages/time.ts';
import type { Service } from '../service/service.ts';
import { refill } from './refill.ts';
import type { Content, Screen, Visit } from './screen.ts';
import { screens } from './screens.ts';

const HOME = '/console';
const GROUPS = [
  { group: 'Work', title: undefined },
  { group: 'Run', title: 'Run' },
  { group: 'Access', title: 'Access' },
] as const;

/** Writes a page for a person. `path`: the path of the request, which says where in the navigation the page is. */
export async function writeScreen(
  service: Service,
  { person, may, zone, query, kept }: Pick<Visit, 'person' | 'may' | 'zone' | 'query' | 'kept'>,
  { path, content: { title, main, scripts, styles, showsMessage, live } }: { path: string; content: Content },
): Promise<string> {
  const current = currentOf(path);
  const done = doneText(current, query.get('done'));
  const visible = screens.filter(
    ({ permission, mode }) => may(permission) && (mode === undefined || mode === service.config.mode),
  );
  const counts = await Promise.all(visible.map(({ count }) => count?.(service)));
  const linkOf = (screen: Screen) => {
    const { href, label, icon } = screen;
    return { href, label, icon, isCurrent: screen === current, count: counts[visible.indexOf(screen)] };
  };
  const sections = GROUPS.map(({ group, title }) => ({
    ...(title && { title }),
    links: visible.filter((screen) => screen.group === group).map(linkOf),
  }));
  return writePage({
    title,
    area: 'console',
    areas: ['console', 'docs'],
    navigation: sections.filter(({ links }) => links.length > 0),
    bar: barOf(service, { person, zone }),
    main: inZone(
      zone,
      html`${done && notice(html`<p>${done}</p>`, 'good')}
      ${kept.message !== undefined && !showsMessage && notice(html`<p>${kept.message}</p>`, 'bad')}
      ${live && html`<div class="live" data-live=${`${live.path}?after=${live.newest ?? FIRST_ID}`} role="status"></div>`} ${kept.form ? refill(main, kept.form) : main}`,
    ),
    scripts: ['palette.js', 'list-keys.js', ...(done ? ['done.js'] : []), ...(live ? ['live.js'] : []), ...(scripts ?? [])],
    styles: ['palette.css', ...(styles ?? [])],
  });
}

/** Writes a page for somebody who is not signed in. */
export function writeEntrance(service: Pick<Service, 'config'>, { title, main, scripts }: Content): string {
  return writePage({
    title,
    area: 'console',
    areas: ['console', 'docs'],
    bar: html`<div class="bar-end">${sandboxBadge(service)}</div>`,
    main: html`<div class="centered">${main}</div>`,
    ...(scripts && { scripts }),
  });
}

/** The screen with the longest path that the page is below. Every page is below the overview. */
export function currentOf(path: string): Screen | undefined {
  return screens
    .filter(({ href }) => path === href || (href !== HOME && path.startsWith(`${href}/`)))
    .sort((one, other) => other.href.length - one.href.length)[0];
}

function doneText(screen: Screen | undefined, done: string | null): string | undefined {
  const texts = screen?.done ?? {};
  return done !== null && Object.hasOwn(texts, done) ? texts[done] : undefined;
}

function barOf(service: Service, { person, zone }: Pick<Visit, 'person' | 'zone'>): Html {
  return html`<div class="bar-end">
    ${sandboxBadge(service)}
    <a class="button button-quiet find" href="/console/find" data-find aria-keyshortcuts="Control+K Meta+K">${icon('magnifying-glass')}<span class="name">Find</span> <kbd class="needs-script">Ctrl K</kbd></a>
    <a class="zone" href="/console/account#times" title="All times are in this zone">${icon('clock', 'small')}<span class="visually-hidden">Times in </span><span class="name">${zone}</span></a>
    <details class="more account">
      <summary class="button button-quiet">${icon('user')}<span class="name">${person.name}</span></summary>
      <div class="panel">
        <p><b>${person.name}</b><br /><span class="muted small">${person.roles.join(', ')}</span></p>
        <p><a href="/console/account">Your sign-in</a></p>
        <p class="needs-script"><button class="button" type="button" data-list-keys aria-keyshortcuts="?">Keys <kbd>?</kbd></button></p>
        <form method="post" action="/console/sign-out">
          <button class="button" type="submit">${icon('arrow-right-start-on-rectangle', 'small')}Sign out</button>
        </form>
      </div>
    </details>
  </div>`;
}

function sandboxBadge({ config }: Pick<Service, 'config'>): Html {
  return config.mode === 'sandbox' && badge('Sandbox', 'warn');
}
