// Compares everything that a service shows of its customers with a log, some customers at a time.
import { compareBalances } from './compare-balances.ts';
import { compareDetails } from './compare-details.ts';
import { compareLabels } from './compare-labels.ts';
import { compareStatements, type Draw } from './compare-statements.ts';
import { compareTransfers } from './compare-transfers.ts';
import { moneyOf, parseEntry } from './entry.ts';
import type { CustomerLog } from './logged.ts';
import type { Entries } from './read-entries.ts';
import type { Replay } from './replay.ts';
import { hasNews, type OnShare, type Report, readList, type Source } from './source.ts';

type Compared = { customers: number; labels: number; statements: number; erased: number };

/** The log is read again for as many transfers: they are in memory together. */
const GROUP_TRANSFERS = 50_000;

export async function compareCustomers(
  source: Source,
  entries: Entries,
  { replay, report, draw, onShare }: { replay: Replay; report: Report; draw: Draw; onShare: OnShare },
): Promise<Compared> {
  const compared: Compared = { customers: 0, labels: 0, statements: 0, erased: 0 };
  for (const group of groupsOf(replay)) {
    for (const log of await readGroup(entries, replay, group)) {
      await compareCustomer(source, log, { replay, report, draw, compared });
      onShare((1 + compared.customers / replay.customers.size) / 3, 'customers');
    }
  }
  await compareList(source, replay, report);
  return compared;
}

async function compareCustomer(
  source: Source,
  log: CustomerLog,
  { replay, report, draw, compared }: { replay: Replay; report: Report; draw: Draw; compared: Compared },
): Promise<void> {
  const { id, known } = log;
  compared.customers += 1;
  compared.labels += [...known.labels.values()].filter(({ removed }) => removed === undefined).length;
  const texts = await compareDetails(source, log, { replay, report });
  if (!texts) return report(`customer ${id} of the log is missing`);
  if (known.isErased) compared.erased += 1;
  await compareLabels(source, log, { replay, texts, report });
  await compareTransfers(source, log, { texts, report });
  // The balances of a customer that is older than the log do not follow from it.
  if (!known.isWhole || [...known.accounts].some((account) => replay.accounts.get(account)!.first > 1)) return;
  await compareBalances(source, log, { replay, report });
  if (!known.isErased) compared.statements += await compareStatements(source, log, { replay, texts, draw, report });
}

/** Customers whose transfers fit into memory together. */
function groupsOf({ customers }: Replay): Set<string>[] {
  const groups: Set<string>[] = [];
  let transfers = GROUP_TRANSFERS;
  for (const [id, customer] of customers) {
    if (transfers >= GROUP_TRANSFERS) {
      groups.push(new Set());
      transfers = 0;
    }
    groups.at(-1)!.add(id);
    transfers += customer.transfers;
  }
  return groups;
}

async function readGroup(entries: Entries, replay: Replay, group: Set<string>): Promise<CustomerLog[]> {
  const logs = new Map([...group].map((id): [string, CustomerLog] => [id, { id, known: replay.customers.get(id)!, moves: [] }]));
  for await (const { index, text } of entries.read()) {
    const entry = parseEntry(text);
    const money = moneyOf(entry);
    const log = money && entry.customer !== undefined && logs.get(entry.customer);
    if (log) log.moves.push({ ...entry, ...money, index });
  }
  return [...logs.values()];
}

/** Names the customers that the service shows and the log does not have. */
async function compareList(source: Source, replay: Replay, report: Report): Promise<void> {
  const isWhole = replay.old() === 0 && [...replay.accounts.values()].every(({ first }) => first === 1);
  if (!isWhole) return;
  for await (const { id } of readList(source, '/customers', { name: 'customers', by: 'offset' }))
    if (!replay.customers.has(id) && !(await hasNews(source, id))) report(`customer ${id} is shown, and is not in the log`);
}
