// What is kept or planned of the money of a customer: holds that wait for a capture, schedules, allocation rules and monitors.
import { findSides, type Side } from '../../../ledger/transfers/ledger-account.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { type AllocationRule, listAllocationRules, type Step } from '../../../resources/allocation-rules/allocation-rule.ts';
import { formatPercent } from '../../../resources/allocation-rules/share.ts';
import { listMonitors, type Monitor } from '../../../resources/balance-monitors/monitor.ts';
import type { Customer } from '../../../resources/customers/customer.ts';
import { type Hold, listHolds } from '../../../resources/holds/hold.ts';
import { listSchedules } from '../../../resources/schedules/schedule.ts';
import { CUSTOMERS, holdHref } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { routeOf, sideLink } from '../ledger/transfer-words.ts';
import { ruleText, scheduledText } from './repeats.ts';

const SHOWN = { limit: 20, offset: 0 };
const SCHEDULE_TONES = { active: 'good', paused: 'warn', ended: 'neutral' } as const;
const LAST_TONES = { ran: 'good', skipped: 'warn', failed: 'bad' } as const;

type Listed<Part> = { elements: Part[]; total: number };
type Schedule = Awaited<ReturnType<typeof listSchedules>>['elements'][number];
type Sides = Map<string, Side>;

/** A card of each kind that the customer has, and the links that make one. `now`: by the clock of the account. */
export async function plannedCards(
  sql: Sql,
  { id }: Pick<Customer, 'id'>,
  { now, mayMove }: { now: Date; mayMove: boolean },
): Promise<Html> {
  const [holds, schedules, rules, monitors] = await Promise.all([
    listHolds(sql, id, { ...SHOWN, status: 'pending', now }),
    listSchedules(sql, id, SHOWN),
    listAllocationRules(sql, id, SHOWN),
    listMonitors(sql, { customerId: id }, SHOWN),
  ]);
  const sides = await findSides(sql, [
    ...holds.elements.map(({ ledgerAccountId }) => ledgerAccountId),
    ...schedules.elements.flatMap(({ fromId, toId }) => [fromId, toId]),
    ...rules.elements.flatMap(({ steps }) => steps.map(({ labelId }) => labelId)),
    ...monitors.elements.map(({ labelId }) => labelId),
  ]);
  const isEmpty = [holds, schedules, rules, monitors].every(({ total }) => total === 0);
  return html`<div id="planned">
    ${mayMove && newCard(id, isEmpty)} ${holdCard(holds, sides, mayMove)} ${scheduleCard(schedules, sides, mayMove)}
    ${ruleCard(rules, sides, mayMove)} ${monitorCard(monitors, sides, mayMove)}
  </div>`;
}

function newCard(id: string, isEmpty: boolean): Html {
  const links = [
    ['holds', 'Hold money'],
    ['schedules', 'Schedule a move'],
    ['allocation-rules', 'Divide deposits'],
    ['monitors', 'Watch a balance'],
  ];
  return card(
    { title: 'Plan', lead: isEmpty && 'Nothing is held, scheduled, divided or watched.' },
    html`<div class="buttons">
      ${links.map(([folder, text]) => html`<a class="button button-small" href=${`${CUSTOMERS}/${id}/${folder}/new`}>${text}</a>`)}
    </div>`,
  );
}

type Part = { id: string; customerId: string };

/** Links to what a person can do with a part. */
function endLinks({ id, customerId }: Part, folder: string, words: [word: string, text: string][]): Html {
  return html`<span class="buttons">
    ${words.map(([word, text]) => html`<a class="button button-small" href=${`${CUSTOMERS}/${customerId}/${folder}/${id}/${word}`}>${text}</a>`)}
  </span>`;
}

type Columns = Parameters<typeof table>[0]['columns'];

function partCard(
  title: string,
  listed: Listed<unknown>,
  { columns, rows, mayMove }: { columns: Columns; rows: Html[][]; mayMove: boolean },
): Html {
  if (rows.length === 0) return undefined;
  return card(
    { title, lead: leadOf(listed), isBare: true },
    table({
      caption: title,
      columns: mayMove ? [...columns, { label: 'Do' }] : columns,
      rows: mayMove ? rows : rows.map((cells) => cells.slice(0, columns.length)),
    }),
  );
}

function holdCard(holds: Listed<Hold>, sides: Sides, mayMove: boolean): Html {
  const rows = holds.elements.map((hold) => [
    sideLink(sides.get(hold.ledgerAccountId)),
    html`<a href=${holdHref({ customerId: hold.customerId, holdId: hold.id })}>${hold.reference ?? 'Hold'}</a>`,
    time(hold.expires),
    html`<span class="nowrap">${amountText(hold.amount - hold.captured, hold.currency)} ${hold.currency}</span>`,
    endLinks(hold, 'holds', [
      ['capture', 'Capture'],
      ['release', 'Release'],
    ]),
  ]);
  const columns = [{ label: 'Of' }, { label: 'Reference' }, { label: 'Expires' }, { label: 'Held', isNumber: true }];
  return partCard('Holds', holds, { columns, rows, mayMove });
}

function scheduleCard(schedules: Listed<Schedule>, sides: Sides, mayMove: boolean): Html {
  const rows = schedules.elements.map((schedule) => [
    html`${routeOf(sides.get(schedule.fromId), sides.get(schedule.toId))}<div class="muted small">${scheduledText(schedule)}</div>
      <div class="muted small">${ruleText(schedule.rule)} (${schedule.timeZone})</div>
      ${(schedule.reference ?? schedule.externalId) && html`<div class="muted small break">${[schedule.reference, schedule.externalId].filter(Boolean).join(', ')}</div>`}`,
    html`${badge(schedule.status, SCHEDULE_TONES[schedule.status])} ${schedule.next && html`next ${time(schedule.next)}`}`,
    schedule.lastStatus &&
      html`${badge(schedule.lastStatus, LAST_TONES[schedule.lastStatus])} ${schedule.lastAt && time(schedule.lastAt)}`,
    schedule.status !== 'ended' &&
      endLinks(schedule, 'schedules', [schedule.status === 'paused' ? ['resume', 'Resume'] : ['pause', 'Pause'], ['end', 'End']]),
  ]);
  return partCard('Schedules', schedules, {
    ...{ columns: [{ label: 'From → to' }, { label: 'State' }, { label: 'Last' }], rows, mayMove },
  });
}

function ruleCard(rules: Listed<AllocationRule>, sides: Sides, mayMove: boolean): Html {
  const rows = rules.elements.map((rule) => [
    html`${rule.name}<div class="muted small">deposits in ${rule.currency}</div>`,
    html`<ol class="plain-list">${rule.steps.map((step) => html`<li><span class="muted">${stepText(step, rule.currency)}</span> ${sideLink(sides.get(step.labelId))}</li>`)}</ol>`,
    rule.paused ? badge('paused', 'warn') : badge('active', 'good'),
    endLinks(rule, 'allocation-rules', [['delete', 'Delete']]),
  ]);
  return partCard('Allocation rules', rules, {
    ...{ columns: [{ label: 'Rule' }, { label: 'Steps' }, { label: 'State' }], rows, mayMove },
  });
}

function stepText({ percent, amount, until }: Step, currency: string): string {
  const share = percent === undefined ? `${amountText(amount!, currency)} ${currency}` : `${formatPercent(percent)} %`;
  return until === undefined ? `${share} to` : `${share}, until ${amountText(until, currency)}, to`;
}

function monitorCard(monitors: Listed<Monitor>, sides: Sides, mayMove: boolean): Html {
  const rows = monitors.elements.map((monitor) => [
    sideLink(sides.get(monitor.labelId)),
    html`<span class="nowrap">${monitor.direction} ${amountText(monitor.threshold, monitor.currency)} ${monitor.currency}</span>
      ${monitor.rearm !== monitor.threshold && html`<div class="muted small">again after ${amountText(monitor.rearm, monitor.currency)} ${monitor.currency}</div>`}`,
    html`${monitor.armed ? badge('armed', 'good') : badge('crossed', 'warn')} ${monitor.crossed && time(monitor.crossed)}`,
    endLinks(monitor, 'monitors', [['delete', 'Delete']]),
  ]);
  return partCard('Monitors', monitors, {
    ...{ columns: [{ label: 'Label' }, { label: 'Reports' }, { label: 'State' }], rows, mayMove },
  });
}

function leadOf({ elements, total }: Listed<unknown>): string {
  return total > elements.length ? `the newest ${elements.length} of ${total.toLocaleString('en')}` : `${total} in all`;
}
