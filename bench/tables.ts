// Results as text: columns that line up.

import type { Level } from './growth.ts';
import type { TableSize } from './sizes.ts';
import type { Row, Subject } from './subjects.ts';
import type { Verdict } from './targets.ts';

const TITLES: [Subject[], string][] = [
  [['commit', 'direct', 'bare', 'no database'], 'Limits'],
  [['earmark'], 'Earmark'],
  [['row locks'], 'One transaction a request, PL/pgSQL with row locks'],
  [['statements'], 'One transaction a request, statement by statement'],
  [['tokens'], 'POST /token'],
];

/** The rows by what they are about. */
export function comparisonTable(rows: Row[]): string {
  const direct = rows.find((row) => row.subject === 'direct')!.perSecond;
  const head = ['', '/s', 'of batch', 'p50 ms', 'p95 ms', 'p99 ms', 'service', 'server', 'load', 'WAL bytes'];
  const lines = TITLES.flatMap(([subjects, title]) => {
    const own = rows.filter((row) => subjects.includes(row.subject));
    return own.length === 0 ? [] : [[title], ...own.map((row) => cellsOf(row, direct))];
  });
  return `CPU (service, server, load) is in µs an answer, the write-ahead log in bytes a reallocation.\n\n${columns([head, ...lines])}`;
}

/** A column for each level. */
export function growthTable(levels: Level[]): string {
  const line = (what: string, value: (level: Level) => string | undefined) => [
    `  ${what}`,
    ...levels.map((level) => value(level) ?? ''),
  ];
  const ms = (value: number | undefined) => value?.toFixed(2);
  const whole = (value: number | undefined) => (value === undefined ? undefined : integer(value));
  const last = levels.at(-1)!;
  const pages = last.pages.map(({ list, page }) =>
    line(`${list}, ${page}`, (level) => ms(level.pages.find((one) => one.list === list && one.page === page)?.p50Ms)),
  );
  const sizes = last.sizes.flatMap(({ table }, index) => [
    line(table, ({ sizes }) => whole(sizes[index]!.tableBytes)),
    line(`${table}, indexes`, ({ sizes }) => whole(sizes[index]!.indexBytes)),
  ]);
  return columns([
    ['Transfers', ...levels.map(({ transfers }) => integer(transfers))],
    ['Reallocations over HTTP, 64 connections'],
    line('per second', ({ perSecond }) => integer(perSecond)),
    line('p50, ms', ({ p50Ms }) => ms(p50Ms)),
    line('p95, ms', ({ p95Ms }) => ms(p95Ms)),
    line('p99, ms', ({ p99Ms }) => ms(p99Ms)),
    line('CPU of the service, µs each', ({ cpuMicros }) => whole(cpuMicros?.service)),
    line('CPU of the server, µs each', ({ cpuMicros }) => whole(cpuMicros?.server)),
    line('write-ahead log, bytes each', ({ walBytes }) => integer(walBytes)),
    [`The same beside it, of a stage with ${integer(levels[0]!.transfers)}`],
    line('per second', ({ beside }) => whole(beside?.perSecond)),
    line('CPU of the service, µs each', ({ beside }) => whole(beside?.cpuMicros?.service)),
    line('CPU of the server, µs each', ({ beside }) => whole(beside?.cpuMicros?.server)),
    ['By the batch function, on the way'],
    line('per second', ({ fill }) => whole(fill?.perSecond)),
    line('write-ahead log, bytes each', ({ fill }) => whole(fill?.walBytes)),
    ['Pages of 25, p50 in ms at the client'],
    ...pages,
    ['Bytes a transfer'],
    ...sizes,
    line('all', ({ sizes }) => integer(sizes.reduce((sum, one) => sum + one.tableBytes + one.indexBytes, 0))),
    ['Memory, MB'],
    line('the service', ({ serviceBytes }) => whole(serviceBytes && serviceBytes / 2 ** 20)),
    line('the database server', ({ serverBytes }) => whole(serverBytes && serverBytes / 2 ** 20)),
  ]);
}

/** Bytes a transfer of each table. */
export function sizesTable(sizes: TableSize[]): string {
  const sum = (name: 'tableBytes' | 'indexBytes') => sizes.reduce((total, size) => total + size[name], 0);
  const all = [...sizes, { table: 'all', tableBytes: sum('tableBytes'), indexBytes: sum('indexBytes') }];
  const lines = all.map(({ table, tableBytes, indexBytes }) => [`  ${table}`, integer(tableBytes), integer(indexBytes)]);
  return columns([['Bytes a transfer', 'table', 'indexes'], ...lines]);
}

/** Each target with what was measured. */
export function verdictsTable(verdicts: Verdict[]): string {
  const lines = verdicts.map(({ target, measured, met }) => [`  ${target}`, measured, met ? 'met' : 'NOT MET']);
  return columns([['Target', 'measured', ''], ...lines]);
}

/** Lines of cells, the first column to the left and the others to the right. A line of one cell is a title, with room above it. */
export function columns(lines: string[][]): string {
  const widths = lines[0]!.map((_, column) =>
    Math.max(...lines.filter((line) => line.length > 1).map((line) => (line[column] ?? '').length)),
  );
  const text = lines.map((line, index) => {
    if (line.length === 1) return `${index > 1 ? '\n' : ''}${line[0]}`;
    return widths
      .map((width, column) => (column === 0 ? line[0]!.padEnd(width) : (line[column] ?? '').padStart(width + 2)))
      .join('')
      .trimEnd();
  });
  return `${text.join('\n')}\n`;
}

function cellsOf(row: Row, direct: number): string[] {
  const { cpuMicros, walBytes, p50Ms, p95Ms, p99Ms } = row;
  const cpu = cpuMicros ? [cpuMicros.service, cpuMicros.server, cpuMicros.load] : [];
  const ofDirect = row.subject === 'tokens' ? '' : `${Math.round((100 * row.perSecond) / direct)} %`;
  return [
    `  ${labelOf(row)}`,
    integer(row.perSecond),
    ofDirect,
    ...[p50Ms, p95Ms, p99Ms].map((value) => (value === undefined ? '' : value.toFixed(value < 10 ? 2 : 1))),
    ...[0, 1, 2].map((index) => (cpu[index] === undefined ? '' : integer(cpu[index]))),
    walBytes === undefined ? '' : integer(walBytes),
  ];
}

function labelOf({ subject, connections, mix, load }: Row): string {
  const many = `${connections} connection${connections === 1 ? '' : 's'}`;
  if (subject === 'commit') return 'a bare commit, 1 connection';
  if (subject === 'direct') return 'the batch function, 200 a call, 1 connection';
  if (subject === 'bare') return `Fastify by itself, ${many}`;
  if (subject === 'no database') return `Earmark without its database, ${many}`;
  if (load !== undefined) return `open loop at ${load * 100} % of capacity`;
  return mix === 'uniform' ? many : `${many}, ${mix}`;
}

function integer(value: number): string {
  return Math.round(value).toLocaleString('en');
}
