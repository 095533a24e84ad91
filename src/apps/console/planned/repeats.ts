// How often a schedule runs: what the form offers, and rules in words.
import { type Html, html } from '../../../platform/pages/html.ts';
import type { Schedule } from '../../../resources/schedules/schedule.ts';
import { amountText } from '../amount.ts';
import type { Choice } from '../select.ts';

/** By RRULE. */
const RULES: Choice[] = [
  { value: 'FREQ=DAILY', text: 'every day' },
  { value: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', text: 'Monday to Friday' },
  { value: 'FREQ=WEEKLY', text: 'every week, on the day of the start' },
  { value: 'FREQ=MONTHLY', text: 'every month, on the day of the start' },
  { value: 'FREQ=MONTHLY;BYMONTHDAY=-1', text: 'on the last day of every month' },
];
export const OWN_RULE = 'own';
export const REPEATS: Choice[] = [...RULES, { value: OWN_RULE, text: 'by the rule below' }];

/** In words if the form has words for it. */
export function ruleText(rule: string): Html {
  const known = RULES.find(({ value }) => value === rule);
  return known ? known.text : html`<span class="mono small break">${rule}</span>`;
}

/** What each time moves. */
export function scheduledText({ amountKind, amount, currency }: Schedule): string {
  if (amount === null) return 'all that is available';
  const text = `${amountText(amount, currency)} ${currency}`;
  if (amountKind === 'above') return `all above ${text}`;
  return amountKind === 'upTo' ? `up to ${text}` : text;
}
