// The list of changes that wait for a second person.
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { type ChangeRequest, REQUEST_HOURS } from '../../../resources/change-requests/change-request.ts';
import { REQUESTS } from './request-href.ts';

export const STATES = {
  waits: { text: 'waits', tone: 'warn' },
  approved: { text: 'approved, not made', tone: 'accent' },
  done: { text: 'done', tone: 'good' },
  failed: { text: 'refused by the ledger', tone: 'bad' },
  refused: { text: 'refused', tone: 'bad' },
  withdrawn: { text: 'withdrawn', tone: 'neutral' },
  expired: { text: 'expired', tone: 'neutral' },
} as const;

/** Nothing without requests. */
export function requestsCard(requests: ChangeRequest[]): Html {
  if (requests.length === 0) return undefined;
  const columns = [{ label: 'Change' }, { label: 'Asked by' }, { label: 'Expires' }, { label: 'State' }];
  const rows = requests.map(({ id, title, asker, expires, state }) => [
    html`<a href=${`${REQUESTS}/${id}`}>${title}</a>`,
    asker,
    time(expires),
    badge(STATES[state].text, STATES[state].tone),
  ]);
  return card(
    {
      title: 'Waiting for a second person',
      lead: `For ${REQUEST_HOURS} hours, then a change must be asked for again.`,
      isBare: true,
    },
    table({ caption: 'Changes that wait', columns, rows }),
  );
}
