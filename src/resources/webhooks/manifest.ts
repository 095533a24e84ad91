// The manifest of webhook subscriptions and webhooks.
import type { Sql } from '../../platform/db/sql.ts';
import { type Manifest, type Owned, type Removed, UNCHECKED } from '../../platform/manifest.ts';

export const webhooks = {
  tags: [
    { name: 'webhooks', description: 'Webhook subscriptions and deliveries' },
    { name: 'webhook deliveries', description: 'Requests that a webhook receiver gets' },
  ],
  // Requests remove subscriptions, and retention deletes webhooks.
  idempotent: { 'webhook-subscription': UNCHECKED, webhook: UNCHECKED },
  sealed: [
    { table: 'webhook_subscription', column: 'secret', content: 'webhook secrets', context: sealingContext },
    { table: 'webhook_subscription', column: 'secret_before', content: 'webhook secrets, former', context: sealingContext },
  ],
  reset: {
    tables: ['webhook_due', 'webhook_subscription', 'webhook', 'webhook_attempt', 'webhook_retry'],
    run: removeWebhooks,
  },
} satisfies Manifest;

export function sealingContext({ id }: { id: string }): string {
  return `webhook-subscription:${id}`;
}

/** Deletes due deliveries first, in the lock order of the recorder, and again for those that a worker claimed meanwhile. */
async function removeWebhooks(tx: Sql, { accountId }: Owned): Promise<Partial<Removed>> {
  await tx`
    delete from webhook_due d using webhook_subscription s
    where s.account_id = ${accountId} and d.bucket = s.bucket and d.subscription_id = s.id and d.attempts >= 0`;
  const subscriptions = await tx<{ bucket: number; id: string }>`
    delete from webhook_subscription where account_id = ${accountId} returning bucket, id`;
  const [buckets, ids] = [subscriptions.map(({ bucket }) => bucket), subscriptions.map(({ id }) => id)];
  await tx`delete from webhook_due where bucket = any(${buckets}) and subscription_id = any(${ids}) and attempts >= 0`;
  const webhooks = await tx<{ id: string }>`
    delete from webhook where bucket = any(${buckets}) and subscription_id = any(${ids})
    returning id`;
  const webhookIds = webhooks.map(({ id }) => id);
  // By subscription for the attempts whose webhook retention deleted before.
  await tx`
    delete from webhook_attempt
    where bucket = any(${buckets}) and (webhook_id = any(${webhookIds}) or (subscription_id = any(${ids}) and not superseded))`;
  await tx`delete from webhook_retry where bucket = any(${buckets}) and webhook_id = any(${webhookIds})`;
  return { webhookSubscriptions: subscriptions.length };
}
