// Carries out a confirmed move by the verbs of the API, once per form.
import type { Customer } from '../../customers/customer.ts';
import { recordMovement } from '../../funds/movement.ts';
import { idempotencyOf } from '../../idempotency/key.ts';
import { parseLegId } from '../../ids.ts';
import { reallocate } from '../../label-reallocations/reallocate.ts';
import { createLedgerEntry } from '../../ledger-entries/create.ts';
import type { Service } from '../../service.ts';
import type { Checked, Fields } from './move-check.ts';

/** `key`: of the form, so that a form that is sent twice moves the money once. Returns the id of the transfer. */
export async function carryOut(
  service: Service,
  customer: Customer,
  { checked, fields, key }: { checked: Checked; fields: Fields; key: string },
): Promise<string> {
  const { accountId } = customer;
  const idempotency = idempotencyOf({
    method: 'POST',
    url: `/console/money/move/${customer.id}`,
    headers: { 'idempotency-key': `console-${key}` },
    body: fields,
    caller: { accountId },
  });
  const { kind, from, to } = checked;
  const { currency, reference } = fields;
  const about = reference === '' ? {} : { reference };
  const amount = { value: fields.amount, currency };
  const hrefOf = (id: string) => ({ href: service.links.to('label', id).href });
  switch (kind) {
    case 'deposit':
    case 'withdrawal':
      return (await recordMovement(service, kind, customer, { amount, ...about }, idempotency)).resource.id;
    case 'reallocation': {
      const request = { _links: { from: hrefOf(from.value), to: hrefOf(to.value) }, amount, ...about };
      return (await reallocate(service, { accountId, scopes: new Set(['write'] as const) }, request, idempotency)).resource.id;
    }
    case 'label': {
      const signed = from.label ? { value: `-${amount.value}`, currency } : amount;
      const answer = await createLedgerEntry(service, (from.label ?? to.label)!, { amount: signed, ...about }, idempotency);
      return parseLegId(answer.resource.id)!.transferId;
    }
  }
}
