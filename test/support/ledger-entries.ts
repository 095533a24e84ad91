// A label whose ledger entries are tested.
import { amountOf } from './data.ts';
import type { Body } from './http.ts';
import { openAccount, type TestService } from './service.ts';

export const NO_LABEL = { status: 404, code: 'NotFound', message: 'Label not found' };

export const entriesOf = (page: Body): Body[] => page._embedded['ledger-entries'];

/** Opens a new account of a service. */
export async function openLabel(service: TestService, amount = '0') {
  const account = await openAccount(service);
  const customer = await account.newCustomer({ available: '1000.00' });
  const label = await account.newLabel(customer, amount);
  const add = (value: unknown, more: object = {}) =>
    account.call('POST', `${label}/ledger-entries`, { body: { ...amountOf(value), ...more } });
  return { ...account, customer, label, add };
}
