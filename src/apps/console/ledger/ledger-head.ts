// The balance of a ledger account as of a day, and its course.
import type { LedgerAccount } from '../../../ledger/transfers/ledger-account.ts';
import { findHistory, justBefore } from '../../../ledger/transfers/past.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { lineChart } from '../../../platform/pages/line-chart.ts';
import { time } from '../../../platform/pages/time.ts';
import { amountText } from '../amount.ts';
import type { LedgerFilter } from './ledger-query.ts';

/** The balance is shown at so many moments. */
const POINTS = 96;

export async function ledgerHead(
  sql: Sql,
  account: LedgerAccount,
  { filter: { from, before }, now }: { filter: LedgerFilter; now: Date },
): Promise<Html> {
  const { id, kind, currency, balance, held, created } = account;
  const end = before && before <= now ? justBefore(before) : now;
  const start = from && from < end ? from : created < end ? created : new Date(end.getTime() - 1);
  const moments = Array.from(
    { length: POINTS },
    (_, index) => new Date(start.getTime() + ((end.getTime() - start.getTime()) * index) / (POINTS - 1)),
  );
  const history = await findHistory(sql, id, moments);
  const isPast = end < now;
  const then = isPast ? history.at(-1)! : balance;
  const points = moments.map((at, index) => {
    const value = index === POINTS - 1 ? then : history[index]!;
    return { at, value: Number(value), text: `${amountText(value, currency)} ${currency}` };
  });
  const shown = `${amountText(then, currency)} ${currency}`;
  return html`<section class="card ledger-head" aria-label="Balance">
    <div class="figure">
      <span class="label">${isPast ? 'Balance as of' : 'Balance now'} ${isPast && time(end)}</span>
      <span class="value">${amountText(then, currency)} <span class="unit">${currency}</span></span>
      ${!isPast && held > 0n && html`<span class="note">${amountText(held, currency)} held, ${amountText(balance - held, currency)} free</span>`}
      ${kind === 'owed' && then < 0n && html`<span class="note">below zero: the customer owes this, and the next deposits pay it first</span>`}
      ${isPast && html`<span class="note">${amountText(balance, currency)} now</span>`}
    </div>
    ${lineChart({ label: `Balance over time, at the end ${shown}`, points })}
  </section>`;
}
