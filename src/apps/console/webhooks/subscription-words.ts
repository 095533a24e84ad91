// The state of a subscription in words.
import type { Html } from '../../../platform/pages/html.ts';
import { badge } from '../../../platform/pages/parts.ts';
import type { Rates, SubscriptionReport } from '../../../resources/webhooks/overview.ts';

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
