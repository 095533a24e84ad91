// Times pages of lists: the first, a far one and the last, of one customer with very many transfers.
import { type Connection, openConnection } from '../load.ts';
import { get } from '../requests.ts';
import type { Stage } from '../stage.ts';
import { quantile } from '../statistics.ts';

/** Latency at the client on an idle machine: a little more than the time in the server. */
export type PageTime = { list: string; page: string; number: number; p50Ms: number; maxMs: number };

type Body = { total: number; _links: { last: { href: string } } };

const LIMIT = 25;
const TIMES = { untimed: 3, timed: 15 };
/** The furthest page by `offset`; later ones, as the last, are read by `after`. */
const FAR = 400;

/** Pages of the busiest label's entries, of its customer's reallocations, and of all events. */
export async function timePages(stage: Stage): Promise<PageTime[]> {
  const label = stage.labels[0]![0]!;
  const [row] = await stage.database.sql<{ customer: string }>`
    select customer_id as customer from ledger_account where id = ${label}`;
  const connection = await openConnection(Number(new URL(stage.url).port));
  const times: PageTime[] = [];
  for (const [list, path] of [
    ['ledger entries', `/labels/${label}/ledger-entries`],
    ['label reallocations', `/customers/${row!.customer}/label-reallocations`],
    ['events', '/events'],
  ] as const) {
    const first = `${path}?limit=${LIMIT}`;
    const { total, _links } = await read(stage, first);
    const last = Math.ceil(total / LIMIT);
    const pages: [page: string, number: number, path: string][] = [
      ['first', 1, first],
      ['four-hundredth', FAR, `${first}&offset=${(FAR - 1) * LIMIT}`],
      ['last', last, _links.last.href.replace(stage.url, '')],
    ];
    for (const [page, number, target] of pages) {
      if (number <= last) times.push({ list, page, number, ...(await time(stage, connection, target)) });
    }
  }
  connection.close();
  return times;
}

async function time({ token }: Stage, connection: Connection, path: string): Promise<{ p50Ms: number; maxMs: number }> {
  const valuesMs: number[] = [];
  for (let n = 0; n < TIMES.untimed + TIMES.timed; n++) {
    const sentMs = performance.now();
    const status = await connection.send(get(path, token));
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    if (n >= TIMES.untimed) valuesMs.push(performance.now() - sentMs);
  }
  valuesMs.sort((a, b) => a - b);
  return { p50Ms: quantile(valuesMs, 0.5), maxMs: quantile(valuesMs, 1) };
}

async function read({ url, token }: Stage, path: string): Promise<Body> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.earmark.v1.hal+json' };
  return (await (await fetch(`${url}${path}`, { headers })).json()) as Body;
}
