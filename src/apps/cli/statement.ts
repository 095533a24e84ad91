// `earmark statement`: writes the statement of a customer's month to a file.
import { isId } from '../../core/ids.ts';
import { minorDigits } from '../../core/money/currencies.ts';
import { isZone } from '../../core/zone.ts';
import { requireMigrated } from '../../platform/db/migrate.ts';
import { openLinks } from '../../platform/http/links.ts';
import { findCustomer } from '../../resources/customers/customer.ts';
import { findLabel } from '../../resources/labels/label.ts';
import type { StatementFormat } from '../../resources/statements/format.ts';
import { readMonth } from '../../resources/statements/month.ts';
import { openStatement } from '../../resources/statements/statement.ts';
import { writeStatement } from '../../resources/statements/write.ts';
import { accountTime } from './account-time.ts';
import { CallError, UsageError } from './command.ts';
import { print } from './output.ts';
import { formatOfFile, printBeside, writeOutput } from './output-file.ts';
import { withDatabase } from './with-database.ts';

type Options = {
  month: string;
  zone: string | undefined;
  currency: string | undefined;
  label: string | undefined;
  format: string | undefined;
  file: string | undefined;
};

const FORMAT: StatementFormat = 'pdf';
const ENDINGS = { pdf: ['.pdf'], csv: ['.csv'], hal: ['.json'] } as const satisfies Record<StatementFormat, string[]>;

export async function statement(call: { words: readonly [customer: string]; options: Options; json: boolean }): Promise<number> {
  const { options, json } = call;
  // The URL of a customer is accepted as well as its id.
  const id = call.words[0].split('/').at(-1)!;
  const { zone = 'UTC', currency, label } = options;
  if (!isZone(zone)) throw new CallError('--zone must be an IANA time zone such as Europe/Berlin.');
  const month = readMonth(options.month, zone);
  if (!month) throw new CallError('--month must be a month such as 2026-01.');
  if (currency !== undefined && minorDigits(currency) === undefined) throw new CallError('--currency must be an ISO 4217 code.');
  if (label !== undefined && !isId(label)) throw new CallError('--label must be the id of a label.');
  const format = chooseFormat(options);
  const file = options.file ?? `statement-${month.text}-${id}${ENDINGS[format][0]}`;
  printBeside(file);
  const result = await withDatabase(async ({ database: { sql }, config }) => {
    const customer = isId(id) ? await findCustomer(sql, id) : undefined;
    if (!customer) throw new UsageError(`There is no customer ${id}.`);
    if (label !== undefined && (await findLabel(sql, label))?.customerId !== customer.id)
      throw new UsageError(`The customer has no label ${label}.`);
    const now = await accountTime(sql, customer.accountId);
    if (month.from > now) throw new UsageError(`The month ${month.text} has not begun.`);
    const selection = { currency, label };
    const opened = await openStatement(sql, customer, { month, selection, now });
    await writeOutput(file, await writeStatement(openLinks(config), opened, { format, selection }));
    return { file, closed: opened.closed, accounts: opened.accounts.length };
  }, requireMigrated);
  print(result, json);
  return 0;
}

/** The given format, or that of the name of the file. Throws a CallError if they differ. */
function chooseFormat({ format, file }: Options): StatementFormat {
  const named = file === undefined ? undefined : formatOfFile(file, ENDINGS);
  if (format === undefined) return named ?? FORMAT;
  if (named !== undefined && named !== format)
    throw new CallError(`--format ${format} needs a file that ends in ${ENDINGS[format as StatementFormat].join(', ')}.`);
  return format as StatementFormat;
}
