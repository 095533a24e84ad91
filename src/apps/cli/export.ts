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
import { readTime } from './read-time.ts';
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

export async function exportCommand(call: { words: readonly [kind: string]; options: Options; json: boolean }): Promise<number> {
  const { options, json } = call;
  const kind = call.words[0] as ExportKind;
  if (kind === 'balances' && options.from !== undefined) throw new CallError('balances takes no --from: they are those at --to.');
  const folder = requireFolder('--output', options.output ?? `export-${kind}`);
  const { from: fromText, to: toText } = options;
  const from = fromText === undefined ? undefined : readTime('--from', fromText);
  const to = toText === undefined ? undefined : readTime('--to', toText);
  const format = (options.format ?? FORMAT) as Format;
  const progress = openProgress(`exporting ${kind}`);
  const { request, parts, rows } = await withDatabase(async ({ database }) => {
    const account = await chooseAccount(database, options.account);
    const newest = (await accountTime(database.sql, account)).getTime() - SETTLED_MS;
    if (to && to.getTime() > newest)
      throw new UsageError('--to must be at least one minute ago: later movements may be in progress.');
    // An export that continues has the time of its beginning.
    const end = to?.toISOString() ?? (await findUnfinished(folder))?.to ?? new Date(newest).toISOString();
    if (from && from.toISOString() >= end) throw new UsageError(`--from must be before --to, which is ${end}.`);
    const request: ExportRequest = { kind, format, account, from: from?.toISOString() ?? null, to: end };
    return { request, ...(await exportLedger(database.sql, request, { folder, onShare: progress.show })) };
  }, requireMigrated).finally(progress.end);
  const shown = { folder, account: request.account, ...(request.from && { from: request.from }), to: request.to, rows };
  print({ ...shown, files: json ? parts.map(({ file }) => file) : parts.map(({ file }) => file).join(' ') }, json);
  return 0;
}
