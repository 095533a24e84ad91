// A customer with two labels, and calls that create allocation rules and deposits.
import assert from 'node:assert/strict';
import { usd } from './data.ts';
import type { Answer, Body, Options } from './http.ts';
import { openAccount, type TestService } from './service.ts';

export type Step = { percent?: string; amount?: unknown; until?: unknown };

/** A step of a rule. */
export const step = (label: string, rest: Step) => ({ label: { href: label }, ...rest });

/** Opens a new account with a customer and its labels `taxes` and `rent`, both empty. */
export async function openRules(service: TestService) {
  const account = await openAccount(service);
  const customer = await account.newCustomer();
  const [taxes, rent] = [await account.newLabel(customer), await account.newLabel(customer)];
  const rules = `${customer}/allocation-rules`;
  const createRule = (steps: unknown, options: Options & { name?: unknown; of?: string } = {}): Promise<Answer> =>
    account.call('POST', options.of ?? rules, { body: { name: options.name ?? 'Set aside', steps }, ...options });
  async function newRule(steps: unknown): Promise<string> {
    const made = await createRule(steps);
    assert.equal(made.status, 201, made.text);
    return made.headers.location!;
  }
  /** Deposits dollars and returns the deposit. */
  async function deposit(value: string, options: Options & { of?: string } = {}): Promise<Body> {
    const { of = customer, ...rest } = options;
    const made = await account.call('POST', `${of}/deposits`, { body: { amount: usd(value) }, ...rest });
    assert.equal(made.status, 201, made.text);
    return account.get(made.headers.location!);
  }
  const preview = (value: string, currency = 'USD') =>
    account.call('POST', `${rules}/preview`, { body: { amount: { value, currency } } });
  const balanceOf = async (label: string): Promise<string> => (await account.get(label)).amount.value;
  /** The available amount, and those of the labels. */
  async function balances(): Promise<string[]> {
    const { balances } = await account.get(`${customer}/balance`);
    const available = balances.find(({ currency }: Body) => currency === 'USD').available.value;
    return [available, await balanceOf(taxes), await balanceOf(rent)];
  }
  return { ...account, customer, taxes, rent, rules, createRule, newRule, deposit, preview, balanceOf, balances };
}

/** The amounts of a deposit's allocations, or of a preview's steps, with their labels. */
export const movedBy = (body: Body): [label: string, amount: string][] =>
  (body._embedded?.allocations ?? body.steps).map(({ _links, amount }: Body) => [_links.label.href, amount.value]);
