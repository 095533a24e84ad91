// The state of a subscription in words.
import type { Html } from '../../../platform/pages/html.ts';
import { badge } from '../../../platform/pages/parts.ts';
import { FAILURES_MAX, GONE } from '../../../resources/webhooks/outcome.ts';
import type { AnswerCount, Rates, SubscriptionReport } from '../../../resources/webhooks/overview.ts';

/** Below this share of failures the subscription works, although not always. */
const FAILING_SHARE = 0.1;

/** The state by what became of the webhooks of the last hour. */
export function stateBadge({ paused, failures }: SubscriptionReport, { delivered, failed }: Rates): Html {
  if (paused) return badge('paused', 'warn');
  const share = failed / (delivered + failed);
  if (share >= FAILING_SHARE) return badge(`failing: ${percentText(share, 0)} of the last hour`, 'bad');
  if (failures > 0) return badge(`failing, ${failures} in a row`, 'bad');
  return failed > 0 ? badge(`${percentText(share, 0)} of the last hour failed`, 'warn') : badge('active', 'good');
}

/** Why it is paused, and what to do. */
export function pauseText({ failures, behind }: SubscriptionReport, answers: AnswerCount[]): string {
  const waiting = behind > 0n ? ` ${behind.toLocaleString('en')} events wait.` : '';
  if (failures >= FAILURES_MAX)
    return `Earmark paused it after ${failures.toLocaleString('en')} failures in a row and a day without a success.${waiting} Correct the receiver, then resume.`;
  if (failures > 0 && answers.some(({ status }) => status === GONE))
    return `Earmark paused it because the receiver answered ${GONE} Gone.${waiting} Change the URL, then resume.`;
  return `A person or an application paused it; the audit log says which person.${waiting}`;
}

export function shareText({ delivered, failed }: Rates): string {
  const total = delivered + failed;
  if (total === 0) return '–';
  return percentText(delivered / total, 1);
}

/** Never rounded to all or nothing. */
function percentText(share: number, digits: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const least = 10 ** -digits;
  return `${Math.min(100 - least, Math.max(least, share * 100)).toFixed(digits)} %`;
}
