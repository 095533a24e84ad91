// Creates a subscription, changes its receiver and topics, sends a test webhook, makes a new secret, and removes it.
import { randomBytes } from 'node:crypto';
import { isId, randomBucket } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { settleEvents } from '../../../ledger/feed/feed.ts';
import { createAddressPolicy } from '../../../platform/http/address-policy.ts';
import { html } from '../../../platform/pages/html.ts';
import { notice, pageHeader } from '../../../platform/pages/parts.ts';
import { findAccount, listAccounts } from '../../../resources/accounts/account.ts';
import { TOPICS } from '../../../resources/events/event.ts';
import { pingSubscription } from '../../../resources/webhooks/retry.ts';
import { redirectSubscription, rotateSecret, subscribe, unsubscribe } from '../../../resources/webhooks/subscribe.ts';
import type { Service } from '../../service/service.ts';
import { question, shownOnce } from '../question.ts';
import type { Pages } from '../screen.ts';
import { subscriptionForm, URL_LENGTH } from './subscription-form.ts';
import { addChange, findReport, WEBHOOKS as HREF } from './subscription-report.ts';

const SECRET_BYTES = 32;

export function addSubscriptionEdits(pages: Pages, service: Service): void {
  addCreate(pages, service);
  addEdit(pages, service);
  addPing(pages, service);
  addSecret(pages, service);
  addRemove(pages, service);
}

function addCreate(pages: Pages, { database, sealer, clock, config }: Service): void {
  const guard = createAddressPolicy(config);
  pages.page(`${HREF}/new`, 'manageWebhooks', async () => {
    const accounts = await listAccounts(database.sql);
    return {
      title: 'Create a subscription',
      main: html`${pageHeader({ title: 'Create a subscription', lead: 'The secret that signs its webhooks is made for you, and shown once.', back: { href: HREF, label: 'Webhooks' } })}
        <div class="narrow">
          ${
            accounts.length > 0
              ? subscriptionForm(
                  { url: '', topics: null },
                  { action: `${HREF}/new`, back: HREF, verb: 'Create the subscription', accounts },
                )
              : notice(html`<p>There is no account yet. <code>earmark account create</code> makes one.</p>`)
          }
        </div>`,
    };
  });
  pages.action(
    `${HREF}/new`,
    'manageWebhooks',
    async ({ audit }, form) => {
      const account = [form.get('account') ?? ''].find(isId);
      if (!account || !(await findAccount(database.sql, account))) throw refuse('badRequest', { message: 'Choose an account.' });
      const { url, topics } = readForm(form);
      const secret = newSecret();
      await settleEvents(database.sql);
      const id = await database.transaction(async (tx) => {
        const request = { url, secret, ...(topics && { topics }) };
        const made = await subscribe(tx, { sealer, guard }, { accountId: account }, request, { bucket: randomBucket(), clock });
        await audit(
          {
            action: 'create_subscription',
            resource: { type: 'webhook-subscription', id: made },
            detail: { url, topics: topics ?? 'all' },
          },
          tx,
        );
        return made;
      });
      return { to: `${HREF}/${id}/secret`, shown: { secret } };
    },
    { from: `${HREF}/new` },
  );
}

function addEdit(pages: Pages, service: Service): void {
  const { database, clock, config } = service;
  const guard = createAddressPolicy(config);
  pages.page(`${HREF}/:id/edit`, 'manageWebhooks', async ({ params }) => {
    const report = await findReport({ database }, params.id!);
    if (!report) return undefined;
    const href = `${HREF}/${report.id}`;
    return {
      title: 'Change a subscription',
      main: html`${pageHeader({ title: 'Change a subscription', lead: `Of ${report.accountName}. Webhooks that wait for a retry go to the new URL too.`, back: { href, label: 'Subscription' } })}
        <div class="narrow">${subscriptionForm(report, { action: `${href}/edit`, back: href, verb: 'Save' })}</div>`,
    };
  });
  addChange(pages, service, {
    ...{ path: 'edit', action: 'edit_subscription', from: `${HREF}/:id/edit` },
    async change(tx, { id, accountId, url: before }, form) {
      const { url, topics } = readForm(form);
      await redirectSubscription(tx, guard, { accountId }, { id, url, topics }, clock.now());
      return { detail: { url, ...(url !== before && { before }), topics: topics ?? 'all' }, next: `${HREF}/${id}?done=edited` };
    },
  });
}

function addPing(pages: Pages, service: Service): void {
  addChange(pages, service, {
    ...{ path: 'ping', action: 'ping_subscription', from: `${HREF}/:id` },
    async change(tx, { id, accountId }) {
      const webhook = await pingSubscription(tx, { accountId }, id, service.clock);
      return { detail: { webhook }, next: `${HREF}/deliveries/${webhook}?done=pinged` };
    },
  });
}

function addSecret(pages: Pages, service: Service): void {
  const { database, sealer, clock } = service;
  pages.page(`${HREF}/:id/new-secret`, 'manageWebhooks', async ({ params }) => {
    const report = await findReport({ database }, params.id!);
    return (
      report &&
      question({
        title: 'Make a new secret of this subscription?',
        back: { href: `${HREF}/${report.id}`, label: 'Subscription' },
        effect:
          'For one day, webhook-signature has a signature under each of the two secrets, so that the receiver can change over. X-Request-Signature-SHA-256 uses the new secret at once.',
        facts: [['Receiver', html`<span class="break">${report.url}</span>`]],
        action: `${HREF}/${report.id}/secret`,
        verb: 'Make a new secret',
      })
    );
  });
  addChange(pages, service, {
    ...{ path: 'secret', action: 'rotate_webhook_secret' },
    async change(tx, { id, accountId }) {
      const secret = newSecret();
      await rotateSecret(tx, sealer, { accountId }, { id, secret }, clock.now());
      return { next: { to: `${HREF}/${id}/secret`, shown: { secret } } };
    },
  });
  pages.page(`${HREF}/:id/secret`, 'manageWebhooks', async ({ params, kept }) => {
    const report = await findReport({ database }, params.id!);
    const secret = kept.shown?.secret;
    return (
      report &&
      shownOnce({
        title: 'The secret of the subscription',
        back: { href: `${HREF}/${report.id}`, label: 'Subscription' },
        note: 'Copy the secret now, and give it to the receiver. It is stored sealed, and not shown again.',
        values: secret === undefined ? undefined : [['Secret', secret]],
        remedy: 'If it was not copied, make a new one.',
      })
    );
  });
}

function addRemove(pages: Pages, service: Service): void {
  const { database, clock } = service;
  pages.page(`${HREF}/:id/remove`, 'manageWebhooks', async ({ params }) => {
    const report = await findReport({ database }, params.id!);
    return (
      report &&
      question({
        title: 'Remove this subscription?',
        back: { href: `${HREF}/${report.id}`, label: 'Subscription' },
        effect: 'The receiver gets nothing any more, and what waits is not sent. A removed subscription does not come back.',
        facts: [
          ['Receiver', html`<span class="break">${report.url}</span>`],
          ['Events that wait', report.behind.toLocaleString('en')],
        ],
        action: `${HREF}/${report.id}/remove`,
        verb: 'Remove the subscription',
      })
    );
  });
  addChange(pages, service, {
    ...{ path: 'remove', action: 'remove_subscription' },
    async change(tx, { id, accountId, url }) {
      await unsubscribe(tx, { accountId }, id, clock.now());
      return { detail: { url }, next: `${HREF}?done=removed` };
    },
  });
}

/** `topics`: undefined for all. */
function readForm(form: URLSearchParams) {
  const url = (form.get('url') ?? '').trim();
  if (url.length > URL_LENGTH) throw refuse('badRequest', { message: `The URL must have at most ${URL_LENGTH} characters.` });
  if (form.get('all') === 'yes') return { url, topics: undefined };
  const topics = TOPICS.filter((topic) => form.getAll('topic').includes(topic));
  if (topics.length === 0) throw refuse('badRequest', { message: 'Choose all events, or at least one.' });
  return { url, topics };
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
