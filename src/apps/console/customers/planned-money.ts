// What is kept or planned of the money of a customer: holds that wait for a capture, and schedules.
import { findSides } from '../../../ledger/transfers/ledger-account.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Customer } from '../../../resources/customers/customer.ts';
import { listHolds } from '../../../resources/holds/hold.ts';
import { listSchedules } from '../../../resources/schedules/schedule.ts';
import { amountText } from '../amount.ts';
import { routeOf, sideLink } from '../ledger/transfer-words.ts';

const SHOWN = { limit: 20, offset: 0 };
const SCHEDULE_TONES = { active: 'good', paused: 'warn', ended: 'neutral' } as const;
const LAST_TONES = { ran: 'good', skipped: 'warn', failed: 'bad' } as const;

/** Nothing for a customer without either. `now`: by the clock of the account. */
export async function plannedCards(sql: Sql, { id }: Pick<Customer, 'id'>, now: Date): Promise<Html> {
  const [holds, schedules] = await Promise.all([
    listHolds(sql, id, { ...SHOWN, status: 'pending', now }),
    listSchedules(sql, id, SHOWN),
  ]);
  const sides = await findSides(sql, [
    ...holds.elements.map(({ ledgerAccountId }) => ledgerAccountId),
    ...schedules.elements.flatMap(({ fromId, toId }) => [fromId, toId]),
  ]);
  const holdRows = holds.elements.map(({ ledgerAccountId, amount, captured, currency, expires, reference }) => [
    sideLink(sides.get(ledgerAccountId)),
    reference ?? '',
    time(expires),
    html`<span class="nowrap">${amountText(amount - captured, currency)} ${currency}</span>`,
  ]);
  const scheduleRows = schedules.elements.map((schedule) => [
    html`${routeOf(sides.get(schedule.fromId), sides.get(schedule.toId))}<div class="muted small mono">${schedule.rule}</div>`,
    html`${badge(schedule.status, SCHEDULE_TONES[schedule.status])} ${schedule.next && html`next ${time(schedule.next)}`}`,
    schedule.lastStatus &&
      html`${badge(schedule.lastStatus, LAST_TONES[schedule.lastStatus])} ${schedule.lastAt && time(schedule.lastAt)}`,
  ]);
  return html`${
    holdRows.length > 0 &&
    card(
      { title: 'Holds', lead: leadOf(holds), isBare: true },
      table({
        caption: 'Holds',
        columns: [{ label: 'Of' }, { label: 'Reference' }, { label: 'Expires' }, { label: 'Held', isNumber: true }],
        rows: holdRows,
      }),
    )
  }
  ${
    scheduleRows.length > 0 &&
    card(
      { title: 'Schedules', lead: leadOf(schedules), isBare: true },
      table({
        caption: 'Schedules',
        columns: [{ label: 'From → to' }, { label: 'State' }, { label: 'Last' }],
        rows: scheduleRows,
      }),
    )
  }`;
}

function leadOf({ elements, total }: { elements: unknown[]; total: number }): string {
  return total > elements.length ? `the newest ${elements.length} of ${total.toLocaleString('en')}` : `${total} in all`;
}
