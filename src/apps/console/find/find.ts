// Finds customers, labels, transfers, documents, pages and actions by any id or text: a page, and the same as JSON for the palette.
import { isId } from '../../../core/ids.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, icon, pageHeader } from '../../../platform/pages/parts.ts';
import type { Service } from '../../service/service.ts';
import type { Pages, Visit } from '../screen.ts';
import { findById } from './by-id.ts';
import { findByText } from './by-text.ts';
import type { HitGroup } from './hit.ts';
import { findPlaces } from './places.ts';

const HREF = '/console/find';
const TEXT_LENGTH = 255;

export function addFind(pages: Pages, service: Service): void {
  pages.page(HREF, 'readOverview', async (visit) => {
    const text = textIn(visit);
    const groups = await find(service, text, visit);
    return {
      title: 'Find',
      main: html`${pageHeader({ title: 'Find', lead: 'Customers, owners, labels, transfers, documents, applications, webhooks, pages and actions, by any id or text.' })}
        ${findForm(text)} ${groups.map(groupCard)} ${groups.length === 0 && nothing(text)}`,
    };
  });
  pages.file(`${HREF}/results`, 'readOverview', async (visit) => {
    const groups = await find(service, textIn(visit), visit);
    return { mediaType: 'application/json', content: Buffer.from(JSON.stringify({ groups })) };
  });
}

function textIn({ query }: Visit): string {
  return (query.get('q') ?? '').trim().replace(/\s+/g, ' ').slice(0, TEXT_LENGTH);
}

/** The groups that are not empty. An id finds what has it, and what names it. */
async function find(service: Pick<Service, 'database' | 'config'>, text: string, visit: Visit): Promise<HitGroup[]> {
  const { sql } = service.database;
  const places = { name: 'Pages and actions', hits: findPlaces(text, { may: visit.may, mode: service.config.mode }) };
  if (text === '') return [places];
  const id = text.toLowerCase();
  const [byId, byText] = await Promise.all([isId(id) ? findById(sql, id, visit) : [], findByText(sql, text, visit)]);
  return [{ name: 'With this id', hits: byId }, places, ...byText].filter(({ hits }) => hits.length > 0);
}

function findForm(text: string): Html {
  return html`<form class="filters" method="get" action=${HREF} role="search">
    <div class="grow">
      ${field(
        { id: 'q', label: 'Id, name, reference or page' },
        html`<input class="input" type="search" id="q" name="q" value=${text} maxlength=${TEXT_LENGTH} autocomplete="off" />`,
      )}
    </div>
    <button class="button" type="submit">${icon('magnifying-glass', 'small')}Find</button>
  </form>`;
}

function groupCard({ name, hits, more }: HitGroup): Html {
  return card(
    { title: name, isBare: true, actions: more && html`<a class="button button-small" href=${more}>Show all</a>` },
    html`<ul class="hits">
      ${hits.map(
        ({ href, title, note }) => html`<li>
          <a href=${href}>${title}</a>
          <span class="muted small">${note}</span>
        </li>`,
      )}
    </ul>`,
  );
}

function nothing(text: string): Html {
  return card(
    { title: 'Results', isBare: true },
    emptyState({
      icon: 'magnifying-glass',
      title: 'Nothing found',
      text: `Nothing that you may see has “${text}”. Ids, references and external ids match whole, names from three letters.`,
    }),
  );
}
