// The statements of all customers of an account for a month, in one ZIP file that is written while it is sent.
import { Readable } from 'node:stream';
import { FIRST_ID, isId } from '../../../core/ids.ts';
import { isZone } from '../../../core/zone.ts';
import type { Customer } from '../../../resources/customers/customer.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { type Month, readMonth } from '../../../resources/statements/month.ts';
import { openStatement } from '../../../resources/statements/statement.ts';
import { writeStatement } from '../../../resources/statements/write.ts';
import type { Service } from '../../service/service.ts';
import type { Pages } from '../screen.ts';

const HREF = '/console/close/statements.zip';
const FORMATS = ['pdf', 'csv'] as const;
const EVERYTHING = { currency: undefined, label: undefined };
const PAGE_CUSTOMERS = 500;

type Format = (typeof FORMATS)[number];

export function zipHref(of: { account: string; month: string; zone: string; format: Format }): string {
  return `${HREF}?${new URLSearchParams(of)}`;
}

export function addStatementsZip(pages: Pages, service: Service): void {
  pages.file(HREF, 'readStatements', async ({ query, audit }) => {
    const account = query.get('account') ?? '';
    const zone = query.get('zone') ?? '';
    const format = FORMATS.find((name) => name === query.get('format'));
    const month = isZone(zone) ? readMonth(query.get('month') ?? '', zone) : undefined;
    if (!isId(account) || !format || !month || month.from > service.clock.now(account)) return undefined;
    const detail = { month: month.text, format, of: 'all customers' };
    await audit({ action: 'read_statement', resource: { type: 'account', id: account }, detail });
    const content = Readable.from(zipOf(service, account, { month, format }), { objectMode: false });
    return { mediaType: 'application/zip', content, name: `statements-${month.text}-${account}.zip` };
  });
}

/** Customers who came after the month have none. PDF is compressed already, and a CSV is small. */
async function* zipOf(
  service: Pick<Service, 'database' | 'clock' | 'links'>,
  accountId: string,
  { month, format }: { month: Month; format: Format },
): AsyncGenerator<Uint8Array> {
  const { Zip, ZipPassThrough } = await import('fflate');
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, data) => {
    if (error) throw error;
    ready.push(data);
  });
  for await (const customer of customersOf(service, accountId, month.before)) {
    const file = new ZipPassThrough(`statement-${month.text}-${customer.id}.${format}`);
    zip.add(file);
    const now = service.clock.now(accountId);
    const statement = await openStatement(service.database.sql, customer, { month, selection: EVERYTHING, now });
    for await (const part of await writeStatement(service.links, statement, { format, selection: EVERYTHING })) {
      file.push(typeof part === 'string' ? Buffer.from(part) : part);
      yield* ready.splice(0);
    }
    file.push(new Uint8Array(0), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}

async function* customersOf(
  { database: { sql } }: Pick<Service, 'database'>,
  accountId: string,
  before: Date,
): AsyncGenerator<Customer> {
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const page: { id: string; created: Date }[] = await sql<{ id: string; created: Date }>`
      select id, created from customer where account_id = ${accountId} and id > ${after} order by id limit ${PAGE_CUSTOMERS}`;
    for (const { id, created } of page) {
      const customer = created < before ? await findCustomer(sql, id) : undefined;
      if (customer) yield customer;
    }
    after = page.length < PAGE_CUSTOMERS ? undefined : page.at(-1)!.id;
  }
}
