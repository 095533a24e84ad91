// `npm run audit`: checks installed packages against the lock file and, where the registry reports them, known vulnerabilities.
import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/paths.ts';
import { findFaults, readLock } from './lock.ts';

type Report = { auditReportVersion?: number; vulnerabilities?: Record<string, { severity: string; via: unknown[] }> };

const TIMEOUT_MS = 60_000;
const HARMLESS = new Set(['info', 'low']);

const { lock, manifest } = readLock();
const faults = findFaults(lock, manifest);
const count = Object.keys(lock.packages).length - 1;
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`lock file: ${count} packages, ${faults.length} faults (digest, origin, licence, install scripts).\n`);

const report = askRegistry();
const known = Object.entries(report?.vulnerabilities ?? {}).filter(([, { severity }]) => !HARMLESS.has(severity));
for (const [name, { severity, via }] of known) process.stderr.write(`${name}: ${severity}: ${JSON.stringify(via)}\n`);
process.stdout.write(
  report
    ? `registry: ${known.length} known vulnerabilities of moderate severity or worse in what runs.\n`
    : 'registry: NOT CHECKED for known vulnerabilities, as it does not answer `npm audit` here.\n',
);
process.exitCode = faults.length + known.length > 0 ? 1 : 0;

/** The report on production dependencies, or undefined where the registry gives none. */
function askRegistry(): Report | undefined {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: ROOT, encoding: 'utf8', timeout: TIMEOUT_MS });
  try {
    const report = JSON.parse(stdout) as Report;
    return report.auditReportVersion === undefined ? undefined : report;
  } catch {
    return undefined;
  }
}
