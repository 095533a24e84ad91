// Labels between which batches move money, and the batches.
import { openMoves } from './label-reallocations.ts';
import type { TestService } from './service.ts';

/** Opens a new account with three labels of one customer, and functions that make items and send batches. */
export async function openBatches(service: TestService) {
  const account = await openMoves(service);
  const third = await account.newLabel(account.customer, '0');
  const { call, reallocation } = account;
  const item = (from: string, to: string, value: string, members: object = {}) => ({
    ...reallocation(from, to, value),
    ...members,
  });
  const send = (mode: string, items: unknown[], options: { key?: string; token?: string } = {}) =>
    call('POST', '/label-reallocation-batches', { body: { mode, items }, ...options });
  const amountOf = async (label: string): Promise<string> => (await call('GET', label)).body.amount.value;
  return { ...account, third, item, send, amountOf };
}
