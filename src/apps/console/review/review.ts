// Review of identity documents: the queue, and the page of each document.
import { textCell } from '../../../core/csv.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, icon, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { countArrived, findNext, listQueue, reviewQueue, type Waiting } from '../../../resources/documents/queue.ts';
import { findOperator } from '../../../resources/operators/operator.ts';
import type { Service } from '../../service/service.ts';
import { type CsvList, csvFile, csvOf } from '../csv-file.ts';
import { nameOf } from '../customer-name.ts';
import type { Screen } from '../screen.ts';
import { REVIEW } from './address.ts';
import { addDecided } from './decided.ts';
import { addDecision } from './decision.ts';
import { addDocument } from './document-page.ts';
import { lastReviewed } from './last-reviewed.ts';
import { queueTabs } from './queue-tabs.ts';
import { TYPE_NAMES } from './type-name.ts';

const LISTED_MAX = 50;
const LIVE = `${REVIEW}/live`;
const CSV = `${REVIEW}.csv`;

export const review: Screen = {
  href: REVIEW,
  label: 'Review',
  icon: 'eye',
  group: 'Work',
  permission: 'reviewDocuments',
  async count({ database }) {
    const { pending } = await reviewQueue(database.sql);
    return pending > 0 ? pending.toLocaleString('en') : undefined;
  },
  add(pages, service) {
    pages.page(REVIEW, 'reviewDocuments', async ({ person, query }) => {
      const { sql } = service.database;
      const now = service.clock.now();
      const [waiting, next, last] = await Promise.all([
        listQueue(sql, { now, limit: LISTED_MAX + 1 }),
        findNext(sql, { person: person.id, now }),
        lastReviewed(service, { person, query }),
      ]);
      return {
        title: 'Review',
        live: waiting.length <= LISTED_MAX ? { path: LIVE, newest: waiting.at(-1)?.id } : undefined,
        scripts: ['review.js'],
        styles: ['review.css'],
        main: html`<div class="review-queue">${last}</div>
        ${pageHeader({
          title: 'Review',
          lead: 'Identity documents that wait for a decision, oldest first.',
          actions: html`<a class="button" href=${CSV} download>${icon('arrow-down-tray', 'small')}CSV</a>
            ${next && html`<a class="button button-primary" href=${`${REVIEW}/${next.id}`}>${icon('play', 'small')}Start</a>`}`,
        })}
        ${queueTabs('waiting')} ${card({ title: 'Queue', isBare: true }, await queueOf(service, waiting, person.id))}`,
      };
    });
    pages.file(CSV, 'reviewDocuments', async ({ audit }) => {
      await audit({ action: 'download_list', detail: { list: 'documents that wait' } });
      return csvFile('documents-that-wait.csv', csvOf(csvList(service.database.sql, service.clock.now())));
    });
    pages.live(LIVE, 'reviewDocuments', (newest) => countArrived(service.database.sql, newest));
    addDecided(pages, service);
    addDocument(pages, service);
    addDecision(pages, service);
  },
};

async function queueOf({ database }: Pick<Service, 'database'>, waiting: Waiting[], self: string): Promise<Html> {
  if (waiting.length === 0) {
    return emptyState({
      icon: 'check-circle',
      title: 'Nothing waits for a decision',
      text: 'New documents appear here when automatic checking leaves them to a person.',
    });
  }
  const shown = waiting.slice(0, LISTED_MAX);
  const names = await namesOf(database.sql, shown);
  const rows = shown.map((document) => [
    html`<a href=${`${REVIEW}/${document.id}`}>${nameOf({ ...document, businessName: undefined })}</a>`,
    document.businessName ?? '',
    TYPE_NAMES[document.type],
    time(document.created),
    stateOf(document, { names, self }),
  ]);
  const columns = ['Person', 'Customer', 'Document', 'Received', 'State'].map((label) => ({ label }));
  const text = waiting.length > LISTED_MAX ? `The oldest ${LISTED_MAX} are shown, more follow` : `${waiting.length} in the queue`;
  return html`${table({ caption: 'Documents that wait', columns, rows })} ${pageLinks({ text })}`;
}

/** The names of the reviewers who have taken documents. */
async function namesOf(sql: Sql, waiting: Waiting[]): Promise<Map<string, string>> {
  const ids = [...new Set(waiting.flatMap(({ claimedBy }) => claimedBy ?? []))];
  const nameOfId = async (id: string) => (await findOperator(sql, { id }))?.name ?? 'an application';
  return new Map(await Promise.all(ids.map(async (id): Promise<[string, string]> => [id, await nameOfId(id)])));
}

function csvList(sql: Sql, now: Date): CsvList<Waiting & { takenBy: string | null }> {
  return {
    columns: ['received', 'document', 'type', 'review', 'takenBy', 'firstName', 'lastName', 'customer', 'businessName'],
    async find(after, limit) {
      const found = await listQueue(sql, { now, limit, after: after?.id });
      const names = await namesOf(sql, found);
      return found.map((document) => ({ ...document, takenBy: document.claimedBy && names.get(document.claimedBy)! }));
    },
    cells: ({ created, id, type, isSecond, takenBy, firstName, lastName, customerId, businessName }) => [
      ...[created.toISOString(), id, type, isSecond ? 'second' : 'first', textCell(takenBy)],
      ...[textCell(firstName), textCell(lastName), customerId, textCell(businessName)],
    ],
  };
}

function stateOf({ claimedBy, isSecond }: Waiting, { names, self }: { names: Map<string, string>; self: string }): Html {
  if (claimedBy === self) return badge('taken by you', 'accent');
  if (claimedBy !== null) return badge(`taken by ${names.get(claimedBy)}`);
  return isSecond ? badge('second review', 'accent') : badge('waits', 'warn');
}
