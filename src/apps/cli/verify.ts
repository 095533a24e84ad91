// `earmark verify`: runs the ledger check and reports violations, once or repeatedly.
import { setTimeout as sleep } from 'node:timers/promises';
import { rules } from '../../ledger/verification/rules.ts';
import type { Violation } from '../../ledger/verification/verify.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import type { Database } from '../../platform/db/sql.ts';
import { verifyInSlices } from '../service/ledger-check.ts';
import { VERIFY_EVERY_SECONDS } from './bounds.ts';
import { CallError } from './command.ts';
import { bad, good } from './output.ts';
import { openProgress } from './progress.ts';
import { withDatabase } from './with-database.ts';

type Report = { time: string; duration_ms: number; rules: string[]; violations: Violation[] };
type Options = { watch: boolean; every: string | undefined };

export async function verify({ options, json }: { options: Options; json: boolean }): Promise<number> {
  const everySeconds = readEvery(options);
  return withDatabase(async ({ database }) => {
    for (;;) {
      const report = await check(database);
      const isConsistent = report.violations.length === 0;
      process.stdout.write(json ? `${JSON.stringify(report)}\n` : options.watch ? summaryOf(report) : textOf(report));
      if (everySeconds === undefined) return isConsistent ? 0 : 1;
      await sleep(everySeconds * 1000);
    }
  }, requireMigrated);
}

function readEvery({ watch, every }: Options): number | undefined {
  if (!watch && every !== undefined) throw new CallError('--every needs --watch.');
  if (!watch) return undefined;
  const { fallback, min, max } = VERIFY_EVERY_SECONDS;
  const seconds = /^[0-9]{1,6}$/.test(every ?? '') ? Number(every) : every === undefined ? fallback : Number.NaN;
  if (!(seconds >= min && seconds <= max)) throw new CallError(`--every must be an integer from ${min} to ${max}.`);
  return seconds;
}

async function check(database: Database): Promise<Report> {
  const progress = openProgress('checking the ledger');
  const startMs = performance.now();
  try {
    const violations = await verifyInSlices(database, { onSlice: ({ share }) => progress.show(share) });
    const duration_ms = Math.round(performance.now() - startMs);
    return { time: new Date().toISOString(), duration_ms, rules: rules.map(({ name }) => name), violations };
  } finally {
    progress.end();
  }
}

function textOf({ violations }: Report): string {
  return rules.map(({ name, about }) => resultOf(name, about, violations)).join('');
}

/** One line when all rules hold, otherwise the broken rules. */
function summaryOf({ time, duration_ms, violations }: Report): string {
  const seconds = (duration_ms / 1000).toFixed(1);
  if (violations.length === 0) return `${time}  ${good('holds ')}  ${rules.length} rules in ${seconds} s\n`;
  const broken = rules.filter(({ name }) => violations.some(({ rule }) => rule === name));
  return broken.map(({ name, about }) => `${time}  ${resultOf(name, about, violations)}`).join('');
}

function resultOf(name: string, about: string, violations: Violation[]): string {
  const broken = violations.filter(({ rule }) => rule === name);
  const rows = broken.map(({ bucket, id, detail }) => `        bucket ${bucket}, ${id}: ${detail}\n`);
  return `${broken.length === 0 ? good('holds ') : bad('BROKEN')}  ${name}: ${about}\n${rows.join('')}`;
}
