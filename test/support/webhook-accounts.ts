// Accounts with webhook subscriptions: workers, subscriptions, and what they store.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { openAccount, type TestService } from './service.ts';
import { type Receiver, startDelivery } from './webhooks.ts';

export const HOUR_MS = 3_600_000;
export const SECRET = 'correct horse battery staple';

/** Opens an account with a delivery worker. */
export async function openWorker(t: TestContext, service: TestService) {
  const account = await openAccount(service);
  const worker = await startDelivery(account);
  t.after(worker.stop);
  return { ...account, worker };
}

export async function subscribe(
  service: Pick<TestService, 'call'>,
  receiver: Pick<Receiver, 'url'>,
  body: object = {},
): Promise<string> {
  const answer = await service.call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret: SECRET, ...body } });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.location!;
}

export const eventIds = (receiver: Receiver) => receiver.received.map(({ body }) => body.id);

export async function webhooksOf(service: Pick<TestService, 'call'>, subscription: string, query = '') {
  return (await service.call('GET', `${subscription}/webhooks${query}`)).body;
}

/** The next delivery that is due for the subscriptions of an account. */
export async function dueOf({ sql, client }: Pick<TestService, 'sql' | 'client'>) {
  const [row] = await sql<{ due: Date; first: Date; attempts: number }>`
    select d.due, d.first, d.attempts
    from webhook_due d join webhook_subscription s on s.bucket = d.bucket and s.id = d.subscription_id
    where s.account_id = ${client.account_id}
    order by d.due limit 1`;
  return row!;
}
