// An account whose log has one of everything, over three months, and the two checks of it: from outside and on the stored rows.
import assert from 'node:assert/strict';
import { audit } from '../../packages/proof/src/audit.ts';
import { parseVerifier } from '../../packages/proof/src/note.ts';
import { openSource } from '../../src/apps/cli/audit-source.ts';
import { openDrawing } from '../../src/apps/cli/audit-statements.ts';
import { verifyLedger } from '../../src/apps/service/ledger-check.ts';
import { corporation, reallocation } from './data.ts';
import { coveredLog } from './logs.ts';
import type { TestService } from './service.ts';

const MONTH_SECONDS = 31 * 24 * 3_600;
let made = 0;

/** Texts of a record, each of them different. */
function texts(): { correlationId: string; externalId: string; metadata: Record<string, string> } {
  made += 1;
  return { correlationId: `correlation ${made}`, externalId: `external-${made}`, metadata: { order: `${made}` } };
}

const usd = (value: string) => ({ amount: { value, currency: 'USD' } });

/** A customer whose deposits and withdrawals are returned: from a label, to one, and as a debt that the next deposit pays. */
async function giveBack(post: (path: string, body?: unknown) => Promise<string>): Promise<void> {
  const customer = await post('/customers', { ...corporation, ...texts() });
  const label = await post(`${customer}/labels`, { ...usd('0'), name: 'Reserve' });
  await post(`${customer}/allocation-rules`, { name: 'Half', steps: [{ label: { href: label }, percent: '50' }] });
  const deposit = await post(`${customer}/deposits`, usd('40.00'));
  const payout = await post(`${customer}/withdrawals`, { _links: { from: { href: label } }, ...usd('8.00') });
  const cash = await post(`${customer}/withdrawals`, usd('15.00'));
  await post(`${payout}/returns`, { ...usd('6.00'), reason: 'account closed', ...texts() });
  await post(`${deposit}/returns`, { ...usd('10.00'), reason: 'R01', ...texts() });
  await post(`${cash}/returns`, { ...usd('1.00'), reason: 'account closed', reference: 'again' });
  await post(`${deposit}/returns`, { reason: 'R10', shortfall: 'owe' });
  await post(`${customer}/deposits`, { ...usd('5.00'), ...texts() });
}

/** Makes money move in every way, in three months by the clock of the account, and returns when the log has it. */
export async function openAudited(service: TestService) {
  const { url, client } = service;
  let { token } = service;
  const call: TestService['call'] = (method, path, options = {}) => service.call(method, path, { token, ...options });
  const post = async (path: string, body?: unknown) => {
    const answer = await call('POST', path, body === undefined ? {} : { body });
    assert.ok(answer.status < 300, answer.text);
    return answer.headers.location!;
  };
  const month = async () => {
    await post('/sandbox/clock', { advanceSeconds: MONTH_SECONDS });
    token = await service.tokenOf(client);
  };
  const open = async () => {
    const customer = await post('/customers', { ...corporation, ...texts() });
    await post(`${customer}/deposits`, { ...usd('100.00'), ...texts(), reference: 'salary' });
    return customer;
  };
  const [customer, suspended] = [await open(), await open()];
  const label = (name: string, value = '20.00') => post(`${customer}/labels`, { ...usd(value), name, ...texts() });
  const [from, to, gone] = [await label('=Tax'), await label('Rent'), await label('Holiday', '0')] as const;
  await post(from, { metadata: { colour: 'red' } });
  await post(to, { name: 'Rent and heating' });
  await post(to, { name: 'Rent' });
  await post(`${customer}/labels`, { amount: { value: '0', currency: 'EUR' } });
  await month();
  await post(`${customer}/withdrawals`, { ...usd('5.00'), ...texts(), reference: 'cash, "paid"' });
  await post(`${from}/ledger-entries`, { ...usd('-2.00'), reference: 'back' });
  const steps = [from, to].map((href) => ({ label: { href }, percent: '50' }));
  await post(`${customer}/allocation-rules`, { name: 'Halves', steps });
  await post(`${customer}/deposits`, { ...usd('10.00'), reference: 'divided' });
  await post('/label-reallocations', reallocation(from, gone, '1.00'));
  await post('/label-reallocations', reallocation(gone, from, '1.00'));
  assert.equal((await call('DELETE', gone)).status, 200);
  const whole = await post('/label-reallocations', { ...reallocation(from, to, '3.00'), ...texts(), reference: '+rent' });
  await post(`${whole}/reversals`, { ...usd('1.00'), reference: 'too much' });
  await giveBack(post);
  await post(customer, { email: 'ada@example.com', metadata: { tier: 'gold' } });
  await post(suspended, { status: 'suspended' });
  await post('/customers', { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' });
  await month();
  await post('/label-reallocations', reallocation(from, to, '0.50'));
  const get = async (path: string) => (await call('GET', path)).body;
  const before = await coveredLog({ ...service, call, get, token });
  const { log } = await get(`/accounts/${client.account_id}`);
  return {
    ...{ call, get, post, month, customer, suspended, labels: { from, to, gone }, key: log.key as string },
    /** What an audit from outside contradicts. */
    async audit() {
      const source = openSource({ base_url: url, ...client }, client.account_id);
      const verifier = parseVerifier(log.key)!;
      return audit({ source, verifier, before, draw: openDrawing(source), onShare: () => {} });
    },
    /** The rules that the stored rows break. */
    verify: async () => [...new Set((await verifyLedger(service.sql)).map(({ rule }) => rule))],
  };
}
