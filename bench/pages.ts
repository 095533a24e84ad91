// How long pages of lists take: the first, those far within, and the last, of one customer with very many transfers.
import { type Connection, openConnection } from './load.ts';
import { get } from './requests.ts';
import type { Stage } from './stage.ts';
import { quantile } from './statistics.ts';

/** As the client sees it, on the same machine and with nothing else to do: a little more than the time in the server. */
export type PageTime = { list: string; page: string; number: number; p50Ms: number; maxMs: number };

type Body = { total: number; _embedded: Record<string, { id: string }[]> };

const LIMIT = 25;
const TIMES = { untimed: 3, timed: 15 };
const FAR: [string, number][] = [
  ['thousandth', 1_000],
  ['ten-thousandth', 10_000],
];

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
    const { total } = await read(stage, `${path}?limit=${LIMIT}`);
    const last = Math.ceil(total / LIMIT);
    const pages: [string, number][] = [['first', 1], ...FAR.filter(([, number]) => number < last), ['last', last]];
    for (const [page, number] of pages) {
      const offset = (number - 1) * LIMIT;
      times.push({ list, page, number, ...(await time(stage, connection, `${path}?limit=${LIMIT}&offset=${offset}`)) });
    }
    const before = await read(stage, `${path}?limit=1&offset=${Math.max(0, (last - 1) * LIMIT - 1)}`);
    const order = list === 'events' ? '&order=newest' : '';
    const after = `${path}?limit=${LIMIT}&after=${Object.values(before._embedded)[0]![0]!.id}${order}`;
    times.push({ list, page: 'last by `after`', number: last, ...(await time(stage, connection, after)) });
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
