// A customer with two labels and schedules between them, and what became of their occurrences.

import assert from 'node:assert/strict';
import { usd } from './data.ts';
import type { Answer, Body } from './http.ts';
import { openAccount, type TestService } from './service.ts';
import { assertSoundLedger } from './sound-ledger.ts';

export const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;

/** Opens an account with a customer, and its labels `from` of 100.00 USD and `to` of 0. */
export async function openSchedules(service: TestService) {
  const account = await openAccount(service);
  const { call, get, create } = account;
  const customer = await account.newCustomer({ available: '1000.00' });
  const from = await account.newLabel(customer, '100.00');
  const to = await account.newLabel(customer, '0');
  /** A body: 10.00 every day at the hour before now, so that the next occurrence is 23 hours ahead. */
  const daily = (change: object = {}) => ({
    _links: { from: { href: from }, to: { href: to } },
    amount: usd('10.00'),
    rule: 'FREQ=DAILY',
    start: new Date(Date.now() - HOUR_MS).toISOString().slice(0, 19),
    timeZone: 'UTC',
    ...change,
  });
  const schedule = (body: unknown, of = customer, options: { key?: string; token?: string } = {}): Promise<Answer> =>
    call('POST', `${of}/schedules`, { body, ...options });
  const newSchedule = (change: object = {}): Promise<string> => create(`${customer}/schedules`, daily(change));
  const occurrences = async (url: string, query = 'limit=200'): Promise<Body[]> =>
    (await get(`${url}/occurrences?${query}`))._embedded['schedule-occurrences'];
  return {
    ...account,
    customer,
    from,
    to,
    daily,
    schedule,
    newSchedule,
    occurrences,
    /** The occurrences that were decided, oldest first. */
    decided: async (url: string) => (await occurrences(url)).filter(({ decided }) => decided !== undefined),
    /** Moves the clock of the account, which runs what becomes due. */
    advance: async (seconds: number): Promise<void> => {
      const moved = await call('POST', '/sandbox/clock', { body: { advanceSeconds: seconds } });
      assert.equal(moved.status, 200, moved.text);
      // The old one has expired.
      account.client.token = await account.tokenOf(account.client);
    },
    amounts: async () => [(await get(from)).amount.value, (await get(to)).amount.value],
    verified: () => assertSoundLedger(account.service.database),
  };
}
