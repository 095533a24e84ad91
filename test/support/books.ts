// A ledger with one of everything that moves money, and edits by hand that break each rule of the ledger check.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { securedClient } from './client-keys.ts';
import { corporation, ownerForm, reallocation } from './data.ts';
import { coveredLog } from './logs.ts';
import { openClient } from './oauth.ts';
import { openSession } from './operators.ts';
import { startService, type TestService } from './service.ts';
import { newSigner, signed } from './signed-requests.ts';

/** The number of a topic in the feed of an event's account. */
export const topic = (name: string) =>
  `(select number from event_topic t where t.account_id = event.account_id and t.topic = '${name}')`;

/** An owner of the database can switch triggers off. */
const OWNER = 'alter table audit_entry disable trigger user; alter table audit_chain disable trigger user';

/** By rule: edits that break it, each of another column or kind of row. */
export const EDITS: Record<string, string[]> = {
  conservation: [`update ledger_account set balance = balance + 1 where kind = 'available'`],
  'no negative balance': [
    `alter table ledger_account drop constraint ledger_account_balance_check;
     update ledger_account set balance = -1 where kind = 'label' and removed is null`,
    `update ledger_account set balance = 1 where kind = 'owed'`,
    `update ledger_account set kind = 'secret' where kind = 'available'`,
  ],
  'owned and frozen': [
    `update ledger_account set account_id = id where kind = 'available'`,
    `update ledger_account set customer_id = id where kind = 'label'`,
    `update ledger_account set frozen = not frozen`,
    `update customer set status = 'document', status_before = null where status = 'verified'`,
  ],
  'entries explain balances': [
    `update transfer set amount = amount + 1 where kind = 'withdrawal'`,
    `update ledger_account set version = version + 1 where kind = 'external'`,
    `update ledger_account set reallocations_out = 7 where kind = 'label'`,
    `insert into ledger_account (bucket, id, account_id, customer_id, kind, currency, balance, latest, frozen, created)
     select bucket, gen_random_uuid(), account_id, customer_id, kind, currency, 5, latest, frozen, created
     from ledger_account where kind = 'label' limit 1`,
    `delete from ledger_account where kind = 'external'`,
    `delete from transfer where kind = 'deposit'`,
  ],
  'sequences without gaps': [
    `update transfer set from_sequence = from_sequence + 500`,
    `update transfer set to_sequence = to_sequence + 1 where kind = 'withdrawal'`,
    `update transfer set from_balance = from_balance + 1`,
    `update transfer set to_balance = to_balance + 1`,
    `update transfer set to_id = from_id, from_id = to_id
     where kind = 'withdrawal' and reference is null and id not in (select reverses from transfer where reverses is not null)`,
  ],
  'entries in time order': [
    `update transfer set created = '2100-01-01' where kind = 'deposit'`,
    `update transfer set created = '2020-01-01' where kind = 'withdrawal'`,
  ],
  'one customer': [
    `update transfer set customer_id = id`,
    `update transfer set currency = 'EUR'`,
    `update ledger_account set currency = 'EUR' where kind = 'label'`,
  ],
  'kinds of transfers': [
    `update transfer set kind = 'gift' where kind = 'withdrawal'`,
    `update transfer set reason = 'R01' where kind = 'reallocation'`,
    `update transfer set return_id = id where kind = 'deposit'`,
    `update transfer set deposit_id = null where kind = 'allocation'`,
    `update transfer set return_id = null where kind = 'debt'`,
    `update transfer set reason = null where kind = 'deposit-return'`,
    `update transfer set reverses = null where kind = 'withdrawal-return'`,
  ],
  'allocations divide deposits': [
    `update transfer set amount = amount * 9 where kind = 'allocation'`,
    `update transfer set rule_id = id where kind = 'deposit' and rule_id is not null`,
    `update transfer set deposit_id = id where kind = 'allocation'`,
    `update transfer set amount = amount * 9 where kind = 'repayment'`,
    `update transfer set customer_id = id where kind = 'allocation'`,
    `update allocation_rule set customer_id = id`,
    `delete from allocation_rule`,
  ],
  'reversals within originals': [
    `update transfer set amount = amount + 1 where reverses is not null`,
    `update transfer set from_id = id where reverses is not null`,
    `update transfer set reverses = id where reverses is not null`,
    `update transfer set reverses = null, kind = 'label' where (bucket, id) in (select bucket, reverses from transfer)`,
    `update transfer set amount = amount + 2000 where kind = 'withdrawal-return'`,
    `update transfer set kind = 'withdrawal' where kind = 'deposit' and (bucket, id) in (select bucket, reverses from transfer)`,
    `update transfer x set reverses = (select w.id from transfer w where w.bucket = x.bucket and w.kind = 'withdrawal' and w.customer_id = x.customer_id)
     where x.kind = 'deposit-return'`,
  ],
  'returns and what is owed': [
    `update transfer set amount = amount * 9 where kind = 'recovery'`,
    `update transfer set return_id = id where kind = 'recovery'`,
    `update transfer set kind = 'withdrawal-return' where kind = 'deposit-return'`,
    `update transfer set kind = 'recovery' where kind = 'debt'`,
    `update transfer set kind = 'allocation' where kind = 'repayment'`,
    `update transfer set to_id = from_id, from_id = to_id where kind = 'repayment'`,
  ],
  holds: [
    `update ledger_account set held = held + 1 where kind = 'label'`,
    `update ledger_account set held_until = now() where kind = 'available'`,
    `update transfer set hold_id = id where kind = 'reallocation'`,
  ],
  schedules: [
    `insert into schedule_occurrence (bucket, id, account_id, customer_id, schedule_id, at, status, reason, currency, decided)
      select bucket, id, account_id, id, id, now(), 'skipped', 'Missed', 'USD', now() from customer limit 1`,
  ],
  'signed requests': [
    ...['amount = amount + 1', 'from_id = id', 'to_id = id', `reference = 'other'`, 'external_id = null'].map(
      (change) => `update transfer set ${change} where reference = 'signed'`,
    ),
    `update transfer set correlation_id = 'other', metadata = null where reference = 'signed'`,
    `update transfer set metadata = '{"order": "8"}' where reference = 'signed'`,
    `update transfer set amount = amount - 1 where reverses is not null and (bucket, id) in (select bucket, transfer_id from transfer_evidence)`,
    `update transfer set reverses = null where (bucket, id) in (select bucket, transfer_id from transfer_evidence)`,
    `update transfer set reverses = id where reference = 'signed'`,
    `delete from transfer where reference = 'signed'`,
    ...[
      ['signature', `"MEUCIQDAAAA="`],
      ['publicKey,x', `"Bm0-bXhWKDUkBsvWCfpFpDxqLm0RcEz4UBIzHXFAWLM"`],
      ['thumbprint', `"other"`],
      ['base', `"\\"@method\\": POST"`],
      ['content', `"{}"`],
    ].map(([path, value]) => `update transfer_evidence set evidence = jsonb_set(evidence, '{${path}}', '${value}')`),
    ...['content', 'signature'].map((member) => `update transfer_evidence set evidence = evidence - '${member}'`),
    `update transfer_evidence e set evidence = o.evidence from transfer_evidence o where o.bucket = e.bucket and o.transfer_id <> e.transfer_id`,
  ],
  'batch results match transfers': [
    `delete from transfer where reference = 'batch'`,
    `update transfer set kind = 'deposit' where reference = 'batch'`,
    `update label_reallocation_batch set account_id = id`,
    `update label_reallocation_batch set results = results || (results -> 0)`,
    `update label_reallocation_batch set results = results || '{"code": "NotFound"}'`,
    `update label_reallocation_batch set withdrawals = withdrawals || '{"code": "NotFound"}'`,
    `update label_reallocation_batch set withdrawals = withdrawals || (withdrawals -> 0)`,
    `update label_reallocation_batch set withdrawals = results, results = withdrawals`,
    `delete from transfer where reference = 'batch' and kind = 'withdrawal'`,
    `update transfer set customer_id = id where reference = 'batch'`,
  ],
  'transfers have events': [
    `delete from event where topic = ${topic('customer_deposit_created')}`,
    `update event set topic = ${topic('customer_withdrawal_created')}, topic_position = topic_position + 100 where topic = ${topic('customer_deposit_created')} and ${topic('customer_withdrawal_created')} is not null`,
    `update event set created = created - interval '1 day' where topic = ${topic('customer_label_reallocation_created')}`,
    `update event set account_id = customer_id where topic = ${topic('customer_withdrawal_created')}`,
    `update event set resource_id = overlay(resource_id::text placing '1' from 36)::uuid
     where topic = ${topic('customer_label_ledger_entry_created')} and resource_id::text like '%2'`,
    `update transfer set kind = 'deposit' where kind = 'reallocation' and reverses is null`,
    `update transfer set created = '2100-01-01' where kind = 'label'`,
  ],
  'creations have events': [
    ...['customer_created', 'customer_label_created', 'customer_beneficial_owner_created', 'customer_hold_created'].map(
      (name) => `delete from event where topic = ${topic(name)}`,
    ),
    `update event set created = created - interval '1 day' where topic = ${topic('customer_created')}`,
    `update customer set created = '2020-01-01'`,
  ],
  'events match transfers': [
    `update event set resource_id = id where topic = ${topic('customer_withdrawal_created')}`,
    `insert into event_outbox (ids, account_id, created, bucket, topic)
     select array[array[overlay(id::text placing 'f' from 36)::uuid], array[customer_id], array[resource_id]], account_id, created, bucket,
       'customer_deposit_created' from event where topic = ${topic('customer_deposit_created')}`,
  ],
  'log entries match transfers': [
    `update transfer set amount = amount + 1 where kind = 'deposit'`,
    `update transfer set currency = 'EUR' where kind = 'label'`,
    `update transfer set to_balance = to_balance + 1 where to_sequence = 2`,
    `delete from transfer where kind = 'withdrawal'`,
    `update event set id = resource_id where topic = ${topic('customer_deposit_created')}`,
    `delete from log_entries`,
    `update log_entries set entries = overlay(entries placing 'x' from 5)`,
  ],
  'audit log': [
    ...['actor', 'action', 'place'].map((column) => `${OWNER}; update audit_entry set ${column} = ${column} || 'x'`),
    `${OWNER}; update audit_entry set detail = detail || '{"with": "nothing"}'`,
    `${OWNER}; update audit_entry set created = created + interval '1 microsecond'`,
    ...['id', 'operator_id'].map((column) => `${OWNER}; update audit_entry set ${column} = gen_random_uuid()`),
    ...['resource_type', 'resource_id'].map(
      (column) => `${OWNER}; update audit_entry set ${column} = coalesce(${column}, '') || 'x'`,
    ),
    `${OWNER}; delete from audit_entry where id = (select min(id::text)::uuid from audit_entry)`,
    `${OWNER}; delete from audit_chain where number = 1`,
    `${OWNER}; update audit_chain set hash = sha256(hash) where number = 2`,
    `${OWNER}; update audit_chain set number = number + 1 where number = (select max(number) from audit_chain)`,
    `alter table audit_entry disable trigger audit_entry_chain;
     insert into audit_entry select gen_random_uuid(), operator_id, actor, action, resource_type, resource_id, detail, place, created from audit_entry limit 1`,
  ],
  'idempotency keys': ['customer', 'label', 'beneficial-owner'].map(
    (type) =>
      `update idempotency_key set resource_id = overlay(resource_id::text placing 'f' from 1)::uuid where resource_type = '${type}'`,
  ),
};

const usd = (value: string) => ({ amount: { value, currency: 'USD' } });

/** A service with one of everything that moves money, each under a key, and a suspended and a plain customer. */
export async function withBooks(t: TestContext, env: Record<string, string> = {}) {
  const service = await startService(t, { env });
  const { call, client } = service;
  let keys = 0;
  const make = async (path: string, body: unknown) => {
    const answer = await call('POST', path, { ...(body !== undefined && { body }), key: `key-${++keys}` });
    assert.equal(answer.status, 201, answer.text);
    return answer.headers.location!;
  };
  for (const status of ['verified', 'suspended']) {
    const customer = await make('/customers', corporation);
    await make(`${customer}/deposits`, usd('50.00'));
    await make(`${customer}/withdrawals`, usd('5.00'));
    const [from, to] = [await make(`${customer}/labels`, usd('20.00')), await make(`${customer}/labels`, usd('0'))] as const;
    const steps = [from, to].map((href) => ({ label: { href }, percent: '50' }));
    await make(`${customer}/allocation-rules`, { name: 'Halves', steps });
    await make(`${customer}/deposits`, usd('2.00'));
    await make('/label-reallocations', reallocation(from, to, '3.00'));
    const whole = await make('/label-reallocations', reallocation(to, from, '1.00'));
    await make(`${whole}/reversals`, undefined);
    const items = [reallocation(to, from, '1.00'), reallocation(from, to, '0.50')].map((one) => ({ ...one, reference: 'batch' }));
    const withdrawals = [{ _links: { from: { href: from } }, ...usd('0.10'), reference: 'batch' }];
    await make('/label-reallocation-batches', { mode: 'atomic', items, withdrawals });
    await make(`${from}/ledger-entries`, usd('-2.00'));
    await giveBack(make, await make('/customers', corporation));
    await make(`${customer}/beneficial-owners`, ownerForm);
    await make(`${customer}/holds`, usd('0.10'));
    const gone = await make(`${customer}/labels`, usd('0'));
    assert.equal((await call('DELETE', gone)).status, 200);
    if (status === 'suspended') await call('POST', customer, { body: { status } });
  }
  await askSigned(service);
  await call('POST', '/customers', { body: { type: 'unverified', firstName: 'A', lastName: 'B', email: 'a@example.com' } });
  for (const role of ['admin', 'viewer'] as const) await openSession(service, role);
  await coveredLog(service);
  return { ...service, client };
}

/** Two reallocations and reversals of parts of them, whose requests are signed; one says how much, and one everything. */
async function askSigned(service: TestService): Promise<void> {
  const account = await openClient(service);
  const { url, newLabels, tokenOf } = account;
  const { from, to } = await newLabels();
  const by = newSigner('first');
  const application = await securedClient(account, { keys: [by.jwk] });
  const token = (await tokenOf(application))!;
  const send = async (path: string, form: object) => {
    const body = JSON.stringify(form);
    const headers = await signed({ by, url: `${url}${path}`, body });
    const answer = await service.call('POST', path, { token, raw: body, headers });
    assert.equal(answer.status, 201, answer.text);
    return new URL(answer.headers.location!).pathname;
  };
  const texts = { reference: 'signed', correlationId: 'c-1', externalId: 'e-1', metadata: { order: '7' } };
  const made = await send('/label-reallocations', { ...reallocation(from, to, '3.00'), ...texts });
  await send(`${made}/reversals`, { ...usd('1.00'), mode: 'available' });
  await send(`${await send('/label-reallocations', reallocation(to, from, 'all'))}/reversals`, usd('0.50'));
}

/** Returns of a withdrawal and of a deposit, for which a label gives money and the rest is owed, until the next deposit pays a part. */
async function giveBack(make: (path: string, body: unknown) => Promise<string>, customer: string): Promise<void> {
  const label = await make(`${customer}/labels`, usd('0'));
  await make(`${customer}/allocation-rules`, { name: 'Half', steps: [{ label: { href: label }, percent: '50' }] });
  const deposit = await make(`${customer}/deposits`, usd('10.00'));
  const withdrawal = await make(`${customer}/withdrawals`, usd('4.00'));
  await make(`${withdrawal}/returns`, { ...usd('1.00'), reason: 'account closed' });
  await make(`${deposit}/returns`, { reason: 'R01', shortfall: 'owe' });
  await make(`${customer}/deposits`, usd('2.00'));
}
