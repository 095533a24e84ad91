// The results of growth as a text table.
import { columns, integer } from '../tables.ts';
import type { Level } from './level.ts';

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
    [`The same of a reference stage with ${integer(levels[0]!.transfers)}`],
    line('per second', ({ reference }) => whole(reference?.perSecond)),
    line('CPU of the service, µs each', ({ reference }) => whole(reference?.cpuMicros?.service)),
    line('CPU of the server, µs each', ({ reference }) => whole(reference?.cpuMicros?.server)),
    ['Filling by the batch function'],
    line('per second', ({ fill }) => whole(fill?.perSecond)),
    line('write-ahead log, bytes each', ({ fill }) => whole(fill?.walBytes)),
    ['Pages of 25, p50 in ms at the client'],
    ...pages,
    ['Bytes per transfer'],
    ...sizes,
    line('all', ({ sizes }) => integer(sizes.reduce((sum, one) => sum + one.tableBytes + one.indexBytes, 0))),
    ['Memory, MB'],
    line('the service', ({ serviceBytes }) => whole(serviceBytes && serviceBytes / 2 ** 20)),
    line('the database server', ({ serverBytes }) => whole(serverBytes && serverBytes / 2 ** 20)),
  ]);
}
