// Results as text tables.
import { CONNECTIONS, type FirstMinute } from './first-minute.ts';
import type { TableSize } from './sizes.ts';
import type { Row, Subject } from './subjects.ts';
import type { Verdict } from './targets.ts';

const TITLES: [Subject[], string][] = [
  [['commit', 'direct', 'bare', 'no database'], 'Limits'],
  [['earmark'], 'Earmark'],
  [['row locks'], 'One transaction per request, PL/pgSQL with row locks'],
  [['statements'], 'One transaction per request, statement by statement'],
  [['tokens'], 'POST /token'],
];

/** Rows in groups of subjects. */
export function comparisonTable(rows: Row[]): string {
  const direct = rows.find((row) => row.subject === 'direct')!.perSecond;
  const head = ['', '/s', 'of batch', 'p50 ms', 'p95 ms', 'p99 ms', 'service', 'server', 'load', 'WAL bytes'];
  const lines = TITLES.flatMap(([subjects, title]) => {
    const shown = rows.filter((row) => subjects.includes(row.subject));
    return shown.length === 0 ? [] : [[title], ...shown.map((row) => cellsOf(row, direct))];
  });
  return `CPU (service, server, load) is in µs per answer, the write-ahead log in bytes per reallocation.\n\n${columns([head, ...lines])}`;
}

/** The rate in each five seconds of the first minute. */
export function firstMinuteTable({ perSecond }: FirstMinute): string {
  return `First minute of an empty database, ${CONNECTIONS} connections, one customer, /s in each five seconds:\n  ${perSecond.map(integer).join('  ')}\n`;
}

/** Bytes per transfer of each table. */
export function sizesTable(sizes: TableSize[]): string {
  const sum = (name: 'tableBytes' | 'indexBytes') => sizes.reduce((total, size) => total + size[name], 0);
  const all = [...sizes, { table: 'all', tableBytes: sum('tableBytes'), indexBytes: sum('indexBytes') }];
  const lines = all.map(({ table, tableBytes, indexBytes }) => [`  ${table}`, integer(tableBytes), integer(indexBytes)]);
  return columns([['Bytes per transfer', 'table', 'indexes'], ...lines]);
}

/** Each target with its measurement. */
export function verdictsTable(verdicts: Verdict[]): string {
  const lines = verdicts.map(({ target, measured, met }) => [`  ${target}`, measured, met ? 'met' : 'NOT MET']);
  return columns([['Target', 'measured', ''], ...lines]);
}

/**
 * Lines of cells, the first column left-aligned and the others right-aligned. A line of one cell is a title, with an empty line
 * above.
 */
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
  if (subject === 'direct') return 'the batch function, 200 per call, 1 connection';
  if (subject === 'bare') return `Fastify alone, ${many}`;
  if (subject === 'no database') return `Earmark without its database, ${many}`;
  if (load !== undefined) return `open loop at ${load * 100} % of capacity`;
  return mix === 'uniform' ? many : `${many}, ${mix}`;
}

/** A rounded number with thousands separators. */
export function integer(value: number): string {
  return Math.round(value).toLocaleString('en');
}
