// Compares the balances of a customer with a log: the available and the labelled amount of each currency.
import { decimalsOf } from './entry.ts';
import { transferIdOf } from './kinds.ts';
import type { CustomerLog } from './logged.ts';
import { formatUnits, type Replay, shownUnits } from './replay.ts';
import { type Amount, type Report, readList, type Source } from './source.ts';

type Balance = { currency: string; total: Amount; available: Amount; labelled: Amount };
type Transfer = { id: string; amount: Amount; from?: string; to?: string; kind: string };
type Sums = { available: bigint; labelled: bigint; decimals: number };

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
    const sum = sums.get(currency) ?? { available: 0n, labelled: 0n, decimals };
    if (kind === 'label') sum.labelled += balance;
    if (kind === 'available') sum.available += balance;
    sums.set(currency, sum);
  }
  return sums;
}

function addTransfer(sums: Map<string, Sums>, { amount, from, to, kind }: Transfer): void {
  const { value, currency } = amount;
  const sum = sums.get(currency) ?? { available: 0n, labelled: 0n, decimals: decimalsOf(value) };
  const units = shownUnits(value) ?? 0n;
  sums.set(currency, sum);
  if (to !== undefined) sum.labelled += units;
  if (from !== undefined) sum.labelled -= units;
  if (kind === 'deposit' || (kind !== 'withdrawal' && to === undefined && from !== undefined)) sum.available += units;
  if (from === undefined && (kind === 'withdrawal' || to !== undefined)) sum.available -= units;
}

function faultsOf(customer: string, shown: Balance[], sums: Map<string, Sums>): string[] {
  const byCurrency = new Map(shown.map((balance) => [balance.currency, balance]));
  const currencies = new Set([...byCurrency.keys(), ...sums.keys()]);
  return [...currencies].flatMap((currency) => {
    const balance = byCurrency.get(currency);
    const sum = sums.get(currency);
    const wanted = { available: sum?.available ?? 0n, labelled: sum?.labelled ?? 0n };
    return (['available', 'labelled', 'total'] as const).flatMap((part) => {
      const units = part === 'total' ? wanted.available + wanted.labelled : wanted[part];
      if (balance ? shownUnits(balance[part]?.value) === units : units === 0n) return [];
      const was = sum ? formatUnits(units, sum.decimals) : '0';
      return [
        `changed row: customer ${customer} shows ${part} ${balance?.[part]?.value ?? 'nothing'} ${currency}, and the log ${was}`,
      ];
    });
  });
}
