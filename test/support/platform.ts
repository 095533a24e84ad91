// The calls of one account, and functions that create common resources.
import assert from 'node:assert/strict';
import type { Service } from '../../src/apps/service/service.ts';
import { customerForm, reallocation } from './data.ts';
import type { Answer, Body, Options } from './http.ts';

export type Client = { client_id: string; client_secret: string; account_id: string; token: string };
export type Call = (method: string, path: string, options?: Options) => Promise<Answer>;

/** Opens the calls of a client. Paths may be URLs, and functions that create a resource return its URL. */
export function openPlatform(service: Pick<Service, 'links'>, client: Client, send: Call) {
  const call: Call = (method, path, options = {}) => send(method, path, { token: client.token, ...options });
  async function create(path: string, body?: unknown, options: Options = {}): Promise<string> {
    const answer = await call('POST', path, { ...(body !== undefined && { body }), ...options });
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  }
  async function get(path: string): Promise<Body> {
    const answer = await call('GET', path);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }
  /** Creates a verified business customer with an available balance. */
  async function newCustomer(
    options: { available?: string; currency?: string; token?: string; form?: Record<string, unknown> } = {},
  ): Promise<string> {
    const by = options.token === undefined ? {} : { token: options.token };
    const customer = await create('/customers', { ...customerForm(), ...options.form }, by);
    const { available, currency = 'USD' } = options;
    if (available) await create(`${customer}/deposits`, { amount: { value: available, currency } }, by);
    return customer;
  }
  async function newLabel(customer: string, value = '0', options: { currency?: string; token?: string } = {}): Promise<string> {
    const { currency = 'USD', token } = options;
    return create(`${customer}/labels`, { amount: { value, currency } }, token === undefined ? {} : { token });
  }
  return {
    client,
    token: client.token,
    call,
    create,
    get,
    newCustomer,
    newLabel,
    /** Creates a customer with 1000.00 USD and two labels, the first with an amount. */
    async newLabels(amount = '100.00'): Promise<{ customer: string; from: string; to: string }> {
      const customer = await newCustomer({ available: '1000.00' });
      return { customer, from: await newLabel(customer, amount), to: await newLabel(customer) };
    },
    reallocation,
    /** The URL of a resource that does not exist. */
    nowhere: (kind: string) => service.links.locate({ type: kind, id: '01890000-0000-7000-8000-000000000000' }),
  };
}
