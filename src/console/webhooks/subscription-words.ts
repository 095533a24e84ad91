// The state of a subscription in words.
import type { Html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import type { Rates, SubscriptionReport } from '../../webhooks/overview.ts';

export function stateBadge({ paused, failures }: SubscriptionReport): Html {
  if (paused) return badge('paused', 'warn');
  return failures > 0 ? badge(`failing, ${failures} in a row`, 'bad') : badge('active', 'good');
}

export function shareText({ delivered, failed }: Rates): string {
  const total = delivered + failed;
  if (total === 0) return '–';
  const percent = (delivered / total) * 100;
  return `${percent === 100 || percent === 0 ? percent : percent.toFixed(1)} %`;
}
