// Carries out a confirmed move, reversal or return by the verbs of the API, once per form.
import { bucketOf, parseLegId } from '../../../core/ids.ts';
import type { StoredTransfer } from '../../../ledger/transfers/transfer.ts';
import { idempotently } from '../../../platform/idempotency/idempotently.ts';
import { idempotencyOf } from '../../../platform/idempotency/key.ts';
import type { Customer } from '../../../resources/customers/customer.ts';
import { recordDeposit, recordWithdrawal } from '../../../resources/funds/record.ts';
import { reallocate } from '../../../resources/label-reallocations/reallocate.ts';
import { reverse } from '../../../resources/label-reallocations/reverse.ts';
import { createLedgerEntry } from '../../../resources/ledger-entries/create.ts';
import { returnDeposit, returnWithdrawal } from '../../../resources/returns/record.ts';
import type { Service } from '../../service/service.ts';
import { formRequest } from '../form-key.ts';
import type { Checked, Fields } from './move-check.ts';

/** `key`: of the form, so that a form that is sent twice moves the money once. Returns the id of the transfer. */
export async function carryOut(
  service: Service,
  customer: Customer,
  { checked, fields, key }: { checked: Checked; fields: Fields; key: string },
): Promise<string> {
  const { accountId } = customer;
  const idempotency = idempotencyOfForm(`/console/money/move/${customer.id}`, { accountId, body: fields, key });
  const { kind, from, to } = checked;
  const { currency, reference } = fields;
  const about = reference === '' ? {} : { reference };
  const amount = { value: fields.amount, currency };
  const hrefOf = (id: string) => ({ href: service.links.to('label', id).href });
  switch (kind) {
    case 'deposit':
      return (await recordDeposit(service, customer, { amount, ...about }, idempotency)).resource.id;
    case 'withdrawal':
      return (await recordWithdrawal(service, customer, { amount, ...about }, idempotency)).resource.id;
    case 'reallocation': {
      const request = { _links: { from: hrefOf(from.value), to: hrefOf(to.value) }, amount, ...about };
      const caller = { accountId, scopes: new Set(['write'] as const) };
      return (await reallocate(service, caller, request, { idempotency })).resource.id;
    }
    case 'label': {
      const signed = from.label ? { value: `-${amount.value}`, currency } : amount;
      const answer = await createLedgerEntry(service, (from.label ?? to.label)!, { amount: signed, ...about }, idempotency);
      return parseLegId(answer.resource.id)!.transferId;
    }
  }
}

/** Moves an amount of a reallocation back. Returns the id of the reversal. */
export async function carryOutReversal(
  service: Service,
  original: StoredTransfer,
  { fields, key }: { fields: Pick<Fields, 'amount' | 'reference'>; key: string },
): Promise<string> {
  const { id, accountId, currency } = original;
  const idempotency = idempotencyOfForm(`/console/money/transfers/${id}/reverse`, { accountId, body: fields, key });
  const { amount, reference } = fields;
  const request = { amount: { value: amount, currency }, ...(reference !== '' && { reference }) };
  return (await reverse(service, original, request, { idempotency })).resource.id;
}

/** Records that the bank returned a deposit or a withdrawal. Returns the id of the return. */
export async function carryOutReturn(
  service: Service,
  original: StoredTransfer,
  { request, key }: { request: Parameters<typeof returnDeposit>[2]; key: string },
): Promise<string> {
  const { id, accountId, kind } = original;
  const bucket = bucketOf(id);
  const record = kind === 'deposit' ? returnDeposit : returnWithdrawal;
  // It locks ledger accounts, so the whole transaction runs where the customer is.
  const near = { ...service, database: service.groups.near(bucket) };
  const form = formRequest(`/console/money/transfers/${id}/return`, { accountId, body: request, key });
  const { resource } = await idempotently(near, form, bucket, async (tx) => {
    return { status: 201, resource: { type: 'return', id: await record(tx, original, request, service.clock.now(accountId)) } };
  });
  return resource.id;
}

function idempotencyOfForm(url: string, form: Parameters<typeof formRequest>[1]) {
  return idempotencyOf(formRequest(url, form));
}
