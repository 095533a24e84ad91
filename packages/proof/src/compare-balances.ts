// Compares the balances of a customer with a log: the available, the labelled and the owed amount of each currency.
import { decimalsOf } from './entry.ts';
import { type TransferKind, transferIdOf } from './kinds.ts';
import type { CustomerLog } from './logged.ts';
import { formatUnits, type Replay, shownUnits } from './replay.ts';
import { type Amount, type Report, readList, type Source } from './source.ts';

type Balance = { currency: string; total: Amount; available: Amount; held?: Amount; labelled: Amount; owed?: Amount };
type Transfer = { id: string; amount: Amount; from?: string; to?: string; kind: TransferKind };
/** `available`: with what is held, which is not in the log. */
type Sums = { available: bigint; labelled: bigint; owed: bigint; decimals: number };

/** How often the balances are read again while money moves. */
const TRIES = 5;

export async function compareBalances(
  source: Source,
  log: CustomerLog,
  { replay, report }: { replay: Replay; report: Report },
): Promise<void> {
  const known = new Set(log.moves.map(transferIdOf));
  const path = `/customers/${log.id}/transfers`;
  let faults: string[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    const sums = sumsOf(log, replay);
    // Transfers after the checkpoint: the newest come first.
    for await (const transfer of readList<Transfer>(source, path, { name: 'transfers' })) {
      if (known.has(transfer.id)) break;
      addTransfer(sums, transfer);
    }
    const shown = (await source.get<{ balances: Balance[] }>(`/customers/${log.id}/balance`))?.balances ?? [];
    faults = faultsOf(log.id, shown, sums);
    if (faults.length === 0) return;
  }
  faults.forEach(report);
}

function sumsOf({ known }: CustomerLog, { accounts }: Replay): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const id of known.accounts) {
    const { currency, kind, balance, decimals } = accounts.get(id)!;
    const sum = sums.get(currency) ?? { available: 0n, labelled: 0n, owed: 0n, decimals };
    if (kind === 'label') sum.labelled += balance;
    if (kind === 'available') sum.available += balance;
    if (kind === 'owed') sum.owed -= balance;
    sums.set(currency, sum);
  }
  return sums;
}

function addTransfer(sums: Map<string, Sums>, transfer: Transfer): void {
  const { amount, from, to, kind } = transfer;
  const { value, currency } = amount;
  const sum = sums.get(currency) ?? { available: 0n, labelled: 0n, owed: 0n, decimals: decimalsOf(value) };
  const units = shownUnits(value) ?? 0n;
  sums.set(currency, sum);
  if (to !== undefined) sum.labelled += units;
  if (from !== undefined) sum.labelled -= units;
  if (kind === 'debt') sum.owed += units;
  if (kind === 'repayment') sum.owed -= units;
  sum.available += directionOf(transfer) * units;
}

/** Whether a transfer adds to the available balance (1), takes from it (-1), or leaves it as it is. */
function directionOf({ kind, from, to }: Transfer): bigint {
  switch (kind) {
    case 'deposit':
    case 'debt':
    case 'recovery':
      return 1n;
    case 'allocation':
    case 'repayment':
    case 'deposit-return':
      return -1n;
    case 'label':
      return to === undefined ? 1n : -1n;
    case 'withdrawal':
      return from === undefined ? -1n : 0n;
    case 'withdrawal-return':
      return to === undefined ? 1n : 0n;
    default:
      return 0n;
  }
}

function faultsOf(customer: string, shown: Balance[], sums: Map<string, Sums>): string[] {
  const byCurrency = new Map(shown.map((balance) => [balance.currency, balance]));
  const currencies = new Set([...byCurrency.keys(), ...sums.keys()]);
  return [...currencies].flatMap((currency) => {
    const balance = byCurrency.get(currency);
    const sum = sums.get(currency);
    const { available, labelled, owed } = sum ?? { available: 0n, labelled: 0n, owed: 0n };
    const held = shownUnits(balance?.held?.value ?? '0') ?? 0n;
    const wanted = { available: available - held, labelled, owed, total: available + labelled };
    return (['available', 'labelled', 'owed', 'total'] as const).flatMap((part) => {
      const units = wanted[part];
      const shown = balance && (part === 'owed' && !balance.owed ? 0n : shownUnits(balance[part]?.value));
      if (balance ? shown === units : units === 0n) return [];
      const was = sum ? formatUnits(units, sum.decimals) : '0';
      return [
        `changed row: customer ${customer} shows ${part} ${balance?.[part]?.value ?? 'nothing'} ${currency}, and the log ${was}`,
      ];
    });
  });
}
