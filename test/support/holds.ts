// A customer with money, a label and holds, and functions that hold, capture and release.

import { usd } from './data.ts';
import { openAccount, type TestService } from './service.ts';
import { assertSoundLedger } from './sound-ledger.ts';

/** Opens a new account with a customer who has 100.00 available, and a label of 100.00. */
export async function openHolds(service: TestService) {
  const account = await openAccount(service);
  const { call, create, get } = account;
  const customer = await account.newCustomer({ available: '200.00' });
  const label = await account.newLabel(customer, '100.00');
  const other = await account.newLabel(customer, '0');
  const from = (href: string) => ({ _links: { from: { href } } });
  const to = (href: string) => ({ _links: { to: { href } } });
  return {
    ...account,
    customer,
    label,
    other,
    to,
    hold: (body: object, options: { key?: string } = {}) => call('POST', `${customer}/holds`, { body, ...options }),
    /** Holds dollars of the label. */
    newHold: (value: string, rest: object = {}) => create(`${customer}/holds`, { ...from(label), amount: usd(value), ...rest }),
    newHoldOfAvailable: (value: string, rest: object = {}) => create(`${customer}/holds`, { amount: usd(value), ...rest }),
    capture: (hold: string, body: object = {}, options: { key?: string; token?: string } = {}) =>
      call('POST', `${hold}/captures`, { body, ...options }),
    release: (hold: string) => call('POST', `${hold}/releases`),
    advance: (seconds: number) => call('POST', '/sandbox/clock', { body: { advanceSeconds: seconds } }),
    amounts: async (url = label) => {
      const { amount, held, available } = await get(url);
      return [amount.value, held?.value, available?.value];
    },
    balance: async () => {
      const [{ total, available, held, labelled }] = (await get(`${customer}/balance`)).balances;
      return [total.value, available.value, held?.value, labelled.value];
    },
    verified: () => assertSoundLedger(account.service.database),
  };
}
