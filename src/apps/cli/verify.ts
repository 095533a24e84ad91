// `earmark verify`: proves what is new in the ledger, or checks every rule, and reports violations, once or repeatedly.
import { setTimeout as sleep } from 'node:timers/promises';
import { BUCKETS } from '../../core/ids.ts';
import { PROVEN_BY_INCREMENTS } from '../../ledger/verification/increment.ts';
import { rules } from '../../ledger/verification/rules.ts';
import type { Violation } from '../../ledger/verification/verify.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import type { Database } from '../../platform/db/sql.ts';
import { proveAll, proveNew, verifyInSlices } from '../service/ledger-check.ts';
import { VERIFY_EVERY_SECONDS } from './bounds.ts';
import { CallError } from './command.ts';
import { bad, good } from './output.ts';
import { openProgress } from './progress.ts';
import { withDatabase } from './with-database.ts';

/** `proven`: what was proven without reading what was proven before; undefined when every rule was checked over everything. */
type Report = { time: string; duration_ms: number; rules: string[]; violations: Violation[]; proven?: Proven };
type Proven = { as_of: string; transfers: number; every_rule: string };
type Options = { full: boolean; watch: boolean; every: string | undefined };

export async function verify({ options, json }: { options: Options; json: boolean }): Promise<number> {
  const everySeconds = readEvery(options);
  return withDatabase(async ({ database }) => {
    for (;;) {
      const report = await check(database, options);
      const isConsistent = report.violations.length === 0;
      process.stdout.write(json ? `${JSON.stringify(report)}\n` : options.watch ? summaryOf(report) : textOf(report));
      if (everySeconds === undefined) return isConsistent ? 0 : 1;
      await sleep(everySeconds * 1000);
    }
  }, requireMigrated);
}

function readEvery({ watch, every }: Pick<Options, 'watch' | 'every'>): number | undefined {
  if (!watch && every !== undefined) throw new CallError('--every needs --watch.');
  if (!watch) return undefined;
  const { fallback, min, max } = VERIFY_EVERY_SECONDS;
  const seconds = /^[0-9]{1,6}$/.test(every ?? '') ? Number(every) : every === undefined ? fallback : Number.NaN;
  if (!(seconds >= min && seconds <= max)) throw new CallError(`--every must be an integer from ${min} to ${max}.`);
  return seconds;
}

/** A database that was never proven as a whole is checked as a whole first. */
async function check(database: Database, { full }: Pick<Options, 'full'>): Promise<Report> {
  const progress = openProgress('checking the ledger');
  const startMs = performance.now();
  const onSlice = ({ share }: { share: number }) => progress.show(share);
  const time = new Date().toISOString();
  const durationMs = () => Math.round(performance.now() - startMs);
  try {
    const newest = full ? undefined : await proveNew(database);
    if (newest?.complete && newest.buckets === BUCKETS) {
      const { asOf, transfers, complete, violations } = newest;
      const names = rules.map(({ name }) => name).filter((name) => isProven(name, violations));
      const proven = { as_of: asOf.toISOString(), transfers, every_rule: complete.toISOString() };
      return { time, duration_ms: durationMs(), rules: names, violations, proven };
    }
    const violations = await (full ? verifyInSlices : proveAll)(database, { onSlice });
    return { time, duration_ms: durationMs(), rules: rules.map(({ name }) => name), violations };
  } finally {
    progress.end();
  }
}

/** Where increments find a difference, every rule is checked. */
function isProven(name: string, violations: Violation[]): boolean {
  return PROVEN_BY_INCREMENTS.includes(name) || violations.some(({ rule }) => rule === name);
}

function textOf({ violations, rules: names, duration_ms, proven }: Report): string {
  const checked = rules.filter(({ name }) => names.includes(name));
  const results = checked.map(({ name, about }) => resultOf(name, about, violations)).join('');
  if (!proven) return results;
  return `${results}
The money is proven up to ${proven.as_of}: ${proven.transfers.toLocaleString('en')} new transfers and all balances, checked in ${(duration_ms / 1000).toFixed(1)} s.
Every rule last held over everything at ${proven.every_rule}. earmark verify --full checks all of it now.
`;
}

/** One line when all rules hold, otherwise the broken rules. */
function summaryOf({ time, duration_ms, violations, rules: names, proven }: Report): string {
  const seconds = (duration_ms / 1000).toFixed(1);
  const added = proven ? `, ${proven.transfers.toLocaleString('en')} new transfers` : '';
  if (violations.length === 0) return `${time}  ${good('holds ')}  ${names.length} rules in ${seconds} s${added}\n`;
  const broken = rules.filter(({ name }) => violations.some(({ rule }) => rule === name));
  return broken.map(({ name, about }) => `${time}  ${resultOf(name, about, violations)}`).join('');
}

function resultOf(name: string, about: string, violations: Violation[]): string {
  const broken = violations.filter(({ rule }) => rule === name);
  const rows = broken.map(({ bucket, id, detail }) => `        bucket ${bucket}, ${id}: ${detail}\n`);
  return `${broken.length === 0 ? good('holds ') : bad('BROKEN')}  ${name}: ${about}\n${rows.join('')}`;
}
