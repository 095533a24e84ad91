// A new account whose customers are tested.
import type { Fields } from './data.ts';
import { openAccount, type TestService } from './service.ts';

/** Opens a new account of a service. */
export async function openCustomers(service: TestService) {
  const account = await openAccount(service);
  return {
    ...account,
    create: (form: Fields) => account.create('/customers', form),
    change: (url: string, body: Fields) => account.call('POST', url, { body }),
  };
}
