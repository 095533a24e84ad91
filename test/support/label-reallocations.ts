// Two labels between which reallocations are tested.
import { openLabels, type TestService } from './service.ts';

/** Opens a new account with two labels, and a function that moves money between them. */
export async function openMoves(service: TestService) {
  const account = await openLabels(service);
  const { from, to } = account;
  const move = (value: unknown, currency?: unknown) =>
    account.call('POST', '/label-reallocations', { body: account.reallocation(from, to, value, currency) });
  return { ...account, move };
}
