// Gives a service without checkers the ones of a test.
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import type { Config } from '../../src/platform/config/config.ts';
import type { Checker } from '../../src/resources/documents/checking/checker.ts';
import { openChecking } from '../../src/resources/documents/checking/checking.ts';
import type { openUploads } from './uploads.ts';

type Uploads = Awaited<ReturnType<typeof openUploads>>;

/** Until the end of the test, submitted documents go to these checkers. An unfinished check counts at once, unless there are retries. */
export function useCheckers<Service extends Pick<Uploads, 'service' | 'services'>>(
  t: TestContext,
  uploads: Service,
  checkers: Checker[],
  settings: Partial<Config> = {},
  retriesMs: number[] = [],
) {
  const { config, database, sealer, documents, clock, metrics } = uploads.service;
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const tools = { config: { ...config, ...settings }, database, sealer, stores: documents.stores, log, clock, metrics };
  const checking = openChecking(tools, checkers, 0, retriesMs);
  const all = uploads.services.map(({ documents }) => documents);
  const usual = all.map(({ checkDelayMs, wake }) => ({ checkDelayMs, wake }));
  for (const documents of all) Object.assign(documents, { checkDelayMs: 0, wake: checking.wake });
  t.after(async () => {
    for (const [index, documents] of all.entries()) Object.assign(documents, usual[index]);
    await checking.close();
  });
  return { ...uploads, lines };
}
