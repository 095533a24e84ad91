// Two labels between which reallocations are tested.
import { openAccount, type TestService } from './service.ts';

/** Opens a new account of a service. */
export async function openLabels(service: TestService) {
  const account = await openAccount(service);
  const { customer, from, to } = await account.newLabels();
  const move = (value: unknown, currency?: unknown) =>
    account.call('POST', '/label-reallocations', { body: account.reallocation(from, to, value, currency) });
  return { ...account, customer, from, to, move };
}
