// Changes of a subscription: sending again since a time, pausing and resuming, the last two after a question.
import { refuse } from '../../../core/problems.ts';
import { momentOfWall, wallClock } from '../../../core/zone.ts';
import { settleEvents } from '../../../ledger/feed/feed.ts';
import { html } from '../../../platform/pages/html.ts';
import { ratesSince } from '../../../resources/webhooks/overview.ts';
import { changeSubscription, replaySince } from '../../../resources/webhooks/subscribe.ts';
import type { Service } from '../../service/service.ts';
import { WEBHOOKS as HREF } from '../addresses.ts';
import { question } from '../question.ts';
import type { Pages, Visit } from '../screen.ts';
import { addChange, findReport, requireReport } from './subscription-report.ts';

const HOUR_MS = 3_600_000;

export function addSubscriptionChanges(pages: Pages, service: Service): void {
  const { database, clock } = service;
  const replay = async ({ params, audit, zone }: Visit, form: URLSearchParams) => {
    const subscription = await requireReport({ database }, params.id!);
    const wall = Date.parse(`${form.get('since') ?? ''}Z`);
    if (Number.isNaN(wall)) throw refuse('badRequest', { message: 'Give a date and a time.' });
    const since = momentOfWall(wall, wallClock(zone));
    await settleEvents(database.sql);
    await database.transaction(async (tx) => {
      const events = await replaySince(tx, subscription.id, since);
      const detail = { since: since.toISOString(), events: Number(events ?? 0n) };
      await audit({ action: 'replay_webhooks', resource: { type: 'webhook-subscription', id: subscription.id }, detail }, tx);
    });
    return `${HREF}/${subscription.id}?done=replay`;
  };
  pages.action(`${HREF}/:id/replay`, 'manageWebhooks', replay, { from: `${HREF}/:id` });
  addQuestions(pages, { database });
  for (const { path, paused, action, done } of [
    { path: 'pause', paused: true, action: 'pause_subscription', done: 'paused' },
    { path: 'resume', paused: false, action: 'resume_subscription', done: 'resumed' },
  ] as const) {
    addChange(pages, service, {
      ...{ path, action },
      async change(tx, { id, accountId, paused: before }, form) {
        const replay = !paused && before && form.get('replay') === 'yes';
        await changeSubscription(tx, { accountId }, id, { paused, ...(replay && { replay }) }, clock.now());
        return { ...(replay && { detail: { replay } }), next: `${HREF}/${id}?done=${done}` };
      },
    });
  }
}

/** Events that wait for a paused subscription are lost for it when it resumes without them. */
function addQuestions(pages: Pages, { database }: Pick<Service, 'database'>): void {
  for (const path of ['pause', 'resume'] as const) {
    pages.page(`${HREF}/:id/${path}`, 'manageWebhooks', async ({ params }) => {
      const report = await findReport({ database }, params.id!);
      if (!report) return undefined;
      const { id, url, behind } = report;
      const lastHour = await ratesSince(database.sql, report, new Date(Date.now() - HOUR_MS));
      const isPause = path === 'pause';
      return question({
        title: isPause ? 'Pause this subscription?' : 'Resume without the events that wait?',
        back: { href: `${HREF}/${id}`, label: 'Subscription' },
        effect: isPause
          ? 'The receiver gets nothing until the subscription is resumed. Events wait, and can be sent then.'
          : 'The receiver gets new events only. Those that wait are not sent.',
        facts: [
          ['Receiver', html`<span class="break">${url}</span>`],
          ['Delivered in the last hour', lastHour.delivered.toLocaleString('en')],
          ['Events that wait', behind.toLocaleString('en')],
        ],
        action: `${HREF}/${id}/${path}`,
        verb: isPause ? 'Pause the subscription' : 'Resume with new events',
      });
    });
  }
}
