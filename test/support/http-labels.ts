// Two labels, and calls with raw bodies and headers.
import type { Options } from './http.ts';
import { openAccount, type TestService } from './service.ts';

export const KIB = 1024;

/** Opens a new account with two labels, and calls for raw bodies and headers. */
export async function openLabels(service: TestService) {
  const account = await openAccount(service);
  const { customer, from, to } = await account.newLabels();
  const get = (path: string, headers: Options['headers'] = {}) => account.call('GET', path, { headers });
  const post = (raw: string | Buffer, headers: Options['headers'] = {}) =>
    account.call('POST', '/label-reallocations', { raw, headers });
  const body = account.reallocation(from, to, '1.00');
  return { ...account, customer, from, to, get, post, body, json: JSON.stringify(body) };
}
