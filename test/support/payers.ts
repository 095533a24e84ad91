// Sandbox accounts with money to move.
import type { TestService } from './service.ts';

/** An account with a customer and two labels. */
export async function openPayer(service: TestService) {
  const { client, token, call, get, newLabels, reallocation } = await service.newPlatform();
  const { customer, from, to } = await newLabels('50.00');
  const plan = (body: object) => call('POST', '/sandbox/faults', { body });
  const pay = (value: string, options: object = {}) =>
    call('POST', '/label-reallocations', { body: reallocation(from, to, value), ...options });
  const balanceOf = async (label: string) => (await get(label)).amount.value;
  const advance = (seconds: number) => call('POST', '/sandbox/clock', { body: { advanceSeconds: seconds } });
  return { client, token, customer, from, to, plan, pay, balanceOf, advance };
}
