// The statements of a customer: the latest months, each as PDF, CSV and JSON.
import { Readable } from 'node:stream';
import { isId } from '../../../core/ids.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, table } from '../../../platform/pages/parts.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import type { StatementFormat } from '../../../resources/statements/format.ts';
import { readMonth } from '../../../resources/statements/month.ts';
import { openStatement } from '../../../resources/statements/statement.ts';
import { writeStatement } from '../../../resources/statements/write.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS as HREF } from '../addresses.ts';
import type { Pages } from '../screen.ts';

/** Older months have the same address; the API has them too. */
const MONTHS_MAX = 6;
const ZONE = 'UTC';
const EVERYTHING = { currency: undefined, label: undefined };
const FILE = /^(?<text>\d{4}-\d\d)\.(?<ending>pdf|csv|json)$/;
const MONTH_NAME = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: ZONE });

const FORMATS = {
  pdf: { format: 'pdf', mediaType: 'application/pdf', label: 'PDF' },
  csv: { format: 'csv', mediaType: 'text/csv; charset=utf-8', label: 'CSV' },
  json: { format: 'hal', mediaType: 'application/json; charset=utf-8', label: 'JSON' },
} as const satisfies Record<string, { format: StatementFormat; mediaType: string; label: string }>;

export function addStatements(pages: Pages, service: Service): void {
  const { database, clock, links } = service;
  pages.file(`${HREF}/:id/statements/:file`, 'readStatements', async ({ params, audit }) => {
    const id = params.id!;
    const { text, ending } = FILE.exec(params.file!)?.groups ?? {};
    const customer = isId(id) ? await findCustomer(database.sql, id) : undefined;
    const month = text === undefined ? undefined : readMonth(text, ZONE);
    if (!customer || !month) return undefined;
    const now = clock.now(customer.accountId);
    if (month.from > now) return undefined;
    const { format, mediaType } = FORMATS[ending as keyof typeof FORMATS];
    await audit({ action: 'read_statement', resource: { type: 'customer', id }, detail: { month: month.text, format: ending } });
    const statement = await openStatement(database.sql, customer, { month, selection: EVERYTHING, now });
    const parts = await writeStatement(links, statement, { format, selection: EVERYTHING });
    return { mediaType, content: Readable.from(parts, { objectMode: false }), name: `statement-${month.text}-${id}.${ending}` };
  });
}

/** `now`: by the clock of the customer's account. */
export function statementCard({ id, created }: Customer, now: Date): Html {
  const months = monthsUntil(now).filter((start) => start >= monthOf(created));
  const rows = months.map((start) => {
    const text = start.toISOString().slice(0, 7);
    const name = MONTH_NAME.format(start);
    const link = (ending: string, label: string) =>
      html`<a href=${`${HREF}/${id}/statements/${text}.${ending}`} aria-label=${`${label} of ${name}`}>${label}</a>`;
    return [
      html`${name}${start.getTime() === months[0]!.getTime() && html` <span class="muted small">so far</span>`}`,
      html`<span class="inline-links">${Object.entries(FORMATS).map(([ending, { label }]) => link(ending, label))}</span>`,
    ];
  });
  return card(
    { title: 'Statements', lead: `by month, in ${ZONE}`, isBare: true },
    table({ caption: 'Statements', columns: [{ label: 'Month' }, { label: 'Save as' }], rows }),
  );
}

/** The starts of the latest months, newest first. */
function monthsUntil(now: Date): Date[] {
  return Array.from({ length: MONTHS_MAX }, (_, index) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index, 1)));
}

function monthOf(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
}
