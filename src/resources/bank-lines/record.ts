// Records what only a bank has as deposits, to the customer whose external id a rule finds in what the payer wrote.
import type { Clock } from '../../core/clock.ts';
import { formatAmount } from '../../core/money/money.ts';
import { Refusal } from '../../core/problems.ts';
import type { BankLine } from '../../ledger/bank-files/statement.ts';
import type { Lanes } from '../../ledger/transfers/lane.ts';
import type { Database } from '../../platform/db/sql.ts';
import { recordOnce } from '../change-requests/bank-line.ts';
import { findByExternalIds } from '../customers/external-id.ts';
import { requireFundedCustomer } from '../funds/funded-customer.ts';
import type { DepositRequest } from '../funds/movement.ts';
import { recordDeposit } from '../funds/record.ts';

type Tools = { clock: Clock; database: Database; lanes: Lanes };

/** The text before and after the external id; case does not count. */
export type Rule = { before: string; after: string };
/** Of each line, either the deposit and its customer, or why there is none. */
export type Recorded = { line: BankLine } & ({ customerId: string; depositId: string } | { reason: string });

const PLACE = '{externalId}';
const WORD = /[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9])?/y;
const LETTER = /[\p{L}\p{N}]/u;
const REFERENCE_MAX = 255;
const CONTROL = /\p{Cc}+/gu;

/** Reads a rule such as `KD-{externalId}`, or undefined if it is not one. */
export function readRule(text: string): Rule | undefined {
  const [before, after, ...more] = text.split(PLACE);
  return before === undefined || after === undefined || more.length > 0
    ? undefined
    : { before: lower(before), after: lower(after) };
}

/**
 * Records a deposit for each line that credits the account and names exactly one customer. The id of the line is the external id of the
 * deposit, and it is recorded once.
 */
export async function recordBankLines(
  service: Tools,
  accountId: string,
  { lines, rules }: { lines: readonly BankLine[]; rules: readonly Rule[] },
): Promise<Recorded[]> {
  const named = lines.map((line) => ({ line, ids: line.amount > 0n ? namedIn(line, rules) : [] }));
  const all = named.flatMap(({ ids }) => ids);
  const customers = await findByExternalIds(service.database.sql, accountId, all);
  const recorded: Recorded[] = [];
  for (const { line, ids } of named) {
    const found = [...new Set(ids.flatMap((id) => customers.get(id) ?? []))];
    const [customerId] = found;
    if (line.amount < 0n) recorded.push({ line, reason: 'It takes money from the account.' });
    else if (customerId === undefined) recorded.push({ line, reason: 'No rule finds a customer.' });
    else if (found.length > 1) recorded.push({ line, reason: `The rules find ${found.length} customers.` });
    else recorded.push({ line, ...(await recordLine(service, line, { accountId, customerId })) });
  }
  return recorded;
}

async function recordLine(service: Tools, line: BankLine, { accountId, customerId }: { accountId: string; customerId: string }) {
  const deposit = requestOfLine(line);
  try {
    const customer = await requireFundedCustomer(service.database.sql, { accountId }, customerId);
    const move = { kind: 'deposit' as const, ...deposit };
    const { resource } = await recordOnce(service, accountId, { move }, () =>
      recordDeposit(service, customer, deposit, undefined),
    );
    return { customerId, depositId: resource!.id };
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message };
    throw error;
  }
}

/** What is recorded for a line: the amount without its sign, what the payer wrote, and the id of the line as external id. */
export function requestOfLine({ amount, currency, references, text, id, booked, valued }: BankLine): DepositRequest {
  const [reference = text] = references;
  const shown = reference.replace(CONTROL, ' ').trim().slice(0, REFERENCE_MAX).toWellFormed();
  return {
    amount: formatAmount(amount < 0n ? -amount : amount, currency),
    ...(shown !== '' && { reference: shown }),
    externalId: id,
    metadata: { bankBooked: booked, ...(valued !== undefined && { bankValued: valued }) },
  };
}

/** The words at the place of the external id in what the payer and the banks wrote. */
function namedIn({ references, text }: BankLine, rules: readonly Rule[]): string[] {
  return [...references, text].flatMap((part) => rules.flatMap((rule) => wordsAt(part, rule)));
}

function wordsAt(text: string, { before, after }: Rule): string[] {
  const folded = lower(text);
  const found: string[] = [];
  for (let start = 0; start < text.length; start++) {
    if (!folded.startsWith(before, start) || LETTER.test(text[start - 1] ?? '')) continue;
    WORD.lastIndex = start + before.length;
    const word = WORD.exec(text)?.[0];
    if (word === undefined) continue;
    const end = start + before.length + word.length;
    // A word may take what follows the external id in the rule.
    const whole = after !== '' && lower(word).endsWith(after) ? word.slice(0, -after.length) : word;
    if (whole !== word || folded.startsWith(after, end)) found.push(whole);
  }
  return found;
}

/** Only letters of ASCII, so that no index changes. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
