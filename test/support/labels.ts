// A customer whose labels are tested.
import type { Body } from './http.ts';
import { openAccount, type TestService } from './service.ts';

export const NOT_VERIFIED = { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' };
export const FORBIDDEN = {
  status: 403,
  code: 'Forbidden',
  message: 'The supplied credentials are not authorized for this resource.',
};

/** Opens a new account of a service. */
export async function openCustomer(service: TestService, available = '1000.00') {
  const account = await openAccount(service);
  const customer = await account.newCustomer({ available });
  const create = (body: unknown, options: { token?: string; of?: string; key?: string } = {}) =>
    account.call('POST', `${options.of ?? customer}/labels`, { body, ...options });
  /** The available and labelled amounts by currency. */
  const balances = async (of = customer) =>
    (await account.get(`${of}/balance`)).balances.map(({ available, labelled, currency }: Body) => [
      currency,
      available.value,
      labelled.value,
    ]);
  return { ...account, customer, create, balances };
}
