// `earmark health`: asks a running service whether it is live and ready.
import { type Config, readConfig } from '../../platform/config/config.ts';
import { reach, UnreachableError } from './call-service.ts';
import { CallError, UsageError } from './command.ts';
import { print, printTable } from './output.ts';

type Options = { url: string | undefined };
type Check = { check: string; result: string; ms: number; detail: string };

const CHECKS = ['live', 'ready'];
const WITHIN_MS = 5_000;
const UNREACHABLE_EXIT_CODE = 2;
/** Addresses on which a service listens on every interface. */
const ANY_HOST = ['0.0.0.0', '::'];

export async function health({ options, json }: { options: Options; json: boolean }): Promise<number> {
  const url = options.url === undefined ? localUrl(readConfig()) : readUrl(options.url);
  try {
    const checks: Check[] = [];
    for (const check of CHECKS) checks.push(await ask(url, check));
    if (json) print({ url, checks }, true);
    else printTable(checks, '');
    return checks.every(({ result }) => result !== 'unavailable') ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return UNREACHABLE_EXIT_CODE;
  }
}

function readUrl(given: string): string {
  if (/^https?:/.test(given) && URL.canParse(given)) return given.replace(/\/$/, '');
  throw new CallError(`--url takes a URL like http://localhost:8080; not ${given}.`);
}

/** The address at which the service of these settings listens on this machine. */
function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  if (port === 0) throw new UsageError('PORT is 0, so the port of the service is not known. Name it with --url.');
  const name = ANY_HOST.includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

async function ask(url: string, check: string): Promise<Check> {
  const startMs = performance.now();
  const response = await reach(`${url}/health/${check}`, { signal: AbortSignal.timeout(WITHIN_MS) });
  const ms = Math.round(performance.now() - startMs);
  const body = (await response.json().catch(() => undefined)) as
    | { status?: string; away?: string[]; message?: string }
    | undefined;
  if (response.status >= 500) return { check, result: 'unavailable', ms, detail: body?.message ?? '' };
  if (response.ok && body?.status !== undefined) return { check, result: body.status, ms, detail: awayOf(body.away) };
  throw new UnreachableError(`${url}/health/${check} is not a health check of Earmark: it returned ${response.status}.`);
}

function awayOf(away: string[] = []): string {
  return away.length === 0 ? '' : `away: ${away.join(', ')}`;
}
