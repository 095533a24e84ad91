// `earmark export`: writes the ledger of an account into files.
import { requireMigrated } from '../../platform/db/migrate.ts';
import type { ExportKind, Format } from '../exports/choices.ts';
import { type ExportRequest, exportLedger, findUnfinished } from '../exports/export.ts';
import { accountTime } from './account-time.ts';
import { chooseAccount } from './choose-account.ts';
import { CallError, UsageError } from './command.ts';
import { print } from './output.ts';
import { requireFolder } from './output-file.ts';
import { openProgress } from './progress.ts';
import { withDatabase } from './with-database.ts';

type Options = {
  account: string | undefined;
  from: string | undefined;
  to: string | undefined;
  format: string | undefined;
  output: string | undefined;
};

const FORMAT: Format = 'csv';
/** What was in progress a minute ago is committed. */
const SETTLED_MS = 60_000;
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

export async function exportCommand(call: { words: readonly [kind: string]; options: Options; json: boolean }): Promise<number> {
  const { options, json } = call;
  const kind = call.words[0] as ExportKind;
  if (kind === 'balances' && options.from !== undefined) throw new CallError('balances takes no --from: they are those at --to.');
  const folder = requireFolder('--output', options.output ?? `export-${kind}`);
  const [from, to] = [readTime('--from', options.from), readTime('--to', options.to)];
  const format = (options.format ?? FORMAT) as Format;
  const progress = openProgress(`exporting ${kind}`);
  const { request, parts, rows } = await withDatabase(async ({ database }) => {
    const account = await chooseAccount(database, options.account);
    const newest = (await accountTime(database.sql, account)).getTime() - SETTLED_MS;
    if (to && to.getTime() > newest)
      throw new UsageError('--to must be at least one minute ago: later movements may be in progress.');
    // An export that continues has the time of its beginning.
    const end = to?.toISOString() ?? (await findUnfinished(folder))?.to ?? new Date(newest).toISOString();
    const request: ExportRequest = { kind, format, account, from: from?.toISOString() ?? null, to: end };
    return { request, ...(await exportLedger(database.sql, request, { folder, onShare: progress.show })) };
  }, requireMigrated).finally(progress.end);
  const shown = { folder, account: request.account, ...(request.from && { from: request.from }), to: request.to, rows };
  print({ ...shown, files: json ? parts.map(({ file }) => file) : parts.map(({ file }) => file).join(' ') }, json);
  return 0;
}

function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (TIME.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new CallError(`${name} must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z.`);
}
