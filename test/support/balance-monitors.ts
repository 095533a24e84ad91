// A label with money and monitors, and what they have reported.
import assert from 'node:assert/strict';
import { settleEvents } from '../../src/ledger/feed/feed.ts';
import { usd } from './data.ts';
import type { Answer, Body } from './http.ts';
import { openAccount, type TestService } from './service.ts';
import { waitUntil } from './wait.ts';

const TOPIC = 'customer_label_balance_crossed';

/** Opens a new account with a customer, its label of 100.00 USD, and functions that change the amount and read crossings. */
export async function openMonitors(service: TestService) {
  const account = await openAccount(service);
  const { call, get, create, sql, client } = account;
  const customer = await account.newCustomer({ available: '1000000.00' });
  const label = await account.newLabel(customer, '100.00');
  const createMonitor = (body: unknown, of = label, options: { key?: string; token?: string } = {}): Promise<Answer> =>
    call('POST', `${of}/monitors`, { body, ...options });
  const newMonitor = (body: unknown, of = label): Promise<string> => create(`${of}/monitors`, body);
  /** Adds signed dollars to the label. */
  async function add(value: string, to = label): Promise<string> {
    const made = await call('POST', `${to}/ledger-entries`, { body: { amount: usd(value) } });
    assert.equal(made.status, 201, made.text);
    return made.headers.location!;
  }
  /** Waits until everything committed so far is evaluated. */
  async function evaluated(): Promise<void> {
    await settleEvents(sql);
    const [head] = await sql<{ position: bigint }>`select position from event_head where account_id = ${client.account_id}`;
    await waitUntil('the monitors are evaluated', async () => {
      const [feed] = await sql<{ position: bigint }>`select position from monitored_feed where account_id = ${client.account_id}`;
      return feed!.position >= head!.position;
    });
  }
  /** The monitors that have reported crossings, oldest first. */
  async function crossings(): Promise<string[]> {
    await evaluated();
    const { events } = (await get(`/events?topic=${TOPIC}&order=oldest&limit=200`))._embedded;
    return events.map(({ _links }: Body) => _links.resource.href);
  }
  return { ...account, customer, label, createMonitor, newMonitor, add, evaluated, crossings };
}
