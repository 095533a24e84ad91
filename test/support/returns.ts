// A customer whose deposits are divided, and calls that return them.

import assert from 'node:assert/strict';
import { openRules, step } from './allocation-rules.ts';
import { usd } from './data.ts';
import type { Answer, Body, Options } from './http.ts';
import type { TestService } from './service.ts';
import { assertSoundLedger } from './sound-ledger.ts';

/** Opens a new account with a customer and its labels `taxes` and `rent`. */
export async function openReturns(service: TestService) {
  const account = await openRules(service);
  const { call, get, create, customer, newRule, taxes, rent } = account;
  /** Returns a deposit or a withdrawal, or a part of it. */
  const giveBack = (original: Body | string, body: object = {}, options: Options = {}): Promise<Answer> => {
    const url = typeof original === 'string' ? original : original._links.self.href;
    return call('POST', `${url}/returns`, { body: { reason: 'R01', ...body }, ...options });
  };
  return {
    ...account,
    giveBack,
    /** Returns a deposit or a withdrawal, and reads the return. */
    async returned(original: Body | string, body: object = {}): Promise<Body> {
      const made = await giveBack(original, body);
      assert.equal(made.status, 201, made.text);
      return get(made.headers.location!);
    },
    /** 30 % of each deposit to `taxes`, then 20 % to `rent`. */
    divide: () => newRule([step(taxes, { percent: '30' }), step(rent, { percent: '20' })]),
    /** Withdraws dollars from the available balance, and returns the URL. */
    spend: (value: string) => create(`${customer}/withdrawals`, { amount: usd(value) }),
    owed: async (currency = 'USD'): Promise<string | undefined> =>
      (await get(`${customer}/balance`)).balances.find((one: Body) => one.currency === currency)?.owed?.value,
    verified: () => assertSoundLedger(account.service.database),
  };
}
