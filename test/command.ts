// Runs the `earmark` command as a process of its own, on the database and data directory of a service under test.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { assertNothingSealed } from './sealed-values.ts';

export type Run = { code: number; out: string; err: string };

// A start takes a second, and many on a machine that is busy.
const TIMEOUT_MS = 90_000;

export async function earmark(
  on: { databaseUrl: string; dataDir: string },
  args: string[],
  env: Record<string, string> = {},
): Promise<Run> {
  const cli = join(import.meta.dirname, '..', 'src', 'cli.ts');
  const settings = { ...process.env, DATABASE_URL: on.databaseUrl, DATA_DIR: on.dataDir, ...env };
  const run = new Promise<Run>((resolve) => {
    execFile(process.execPath, [cli, ...args], { env: settings, cwd: on.dataDir, timeout: TIMEOUT_MS }, (error, out, err) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err });
    });
  });
  const ended = await run;
  assertNothingSealed(ended.out + ended.err);
  return ended;
}
