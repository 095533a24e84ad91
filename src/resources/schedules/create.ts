// Creates a schedule.
import { newId } from '../../core/ids.ts';
import { type Fault, invalid, refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { externalIdTaken } from '../../platform/forms/external.ts';
import type { Links } from '../../platform/http/links.ts';
import { type Customer, lockCustomer } from '../customers/customer.ts';
import { readLabels, sameLabel } from '../label-reallocations/reallocate.ts';
import { otherCustomer } from '../label-reallocations/refusal.ts';
import { findLabel, type Label } from '../labels/label.ts';
import { findScheduleId } from './schedule.ts';
import type { ScheduleRequest } from './schemas.ts';
import { requireOccurrence, requireScheduleAmount } from './terms.ts';

/** Of a customer, until they end: a transaction that runs the occurrences of a customer locks all that are due. */
const SCHEDULES_MAX = 100;

/**
 * Returns the id of the new schedule. Refuses with BadRequest for an href that is not a label, NotFound and Forbidden for labels, ValidationError
 * for values, and with Conflict if a schedule of the customer has the external id.
 */
export async function createSchedule(
  { tx, links }: { tx: Sql; links: Links },
  customer: Customer,
  request: ScheduleRequest,
  now: Date,
): Promise<string> {
  const labels = readLabels(links, request);
  if ('faults' in labels) throw refuse('badRequest', labels);
  const { fromId, toId } = labels;
  const from = await requireLabelFor(tx, customer, fromId, '/_links/from/href');
  const to = await requireLabelFor(tx, customer, toId, '/_links/to/href');
  if (fromId === toId) throw invalid(sameLabel);
  if (from.currency !== to.currency) throw invalid(otherCurrencies);
  const { currency } = from;
  const { amountKind, amount } = requireScheduleAmount(request.amount, currency);
  const { rule, start, timeZone, ifInsufficient = 'skip', catchUp = 'each' } = request;
  const next = requireOccurrence({ rule, start, timeZone }, { now, isNewStart: true });

  const { bucket, accountId, id: customerId } = customer;
  if (!(await lockCustomer(tx, customerId))) throw refuse('customerNotFound');
  const [count] = await tx<{ schedules: bigint }>`
    select count(*) as schedules from schedule where bucket = ${bucket} and customer_id = ${customerId} and status <> 'ended'`;
  if (count!.schedules >= SCHEDULES_MAX) throw refuse('tooManySchedules');
  const { reference, correlationId, externalId, metadata = null } = request;
  const id = newId(bucket);
  const inserted = await tx`
    insert into schedule (bucket, id, account_id, customer_id, from_id, to_id, currency, amount_kind, amount, rule, start, time_zone,
      if_insufficient, catch_up, next, next_local, created, reference, correlation_id, external_id, metadata)
    values (${bucket}, ${id}, ${accountId}, ${customerId}, ${fromId}, ${toId}, ${currency}, ${amountKind}, ${amount}, ${rule}, ${start},
      ${timeZone}, ${ifInsufficient}, ${catchUp}, ${next.at}, ${next.local}, ${now}, ${reference}, ${correlationId}, ${externalId},
      ${metadata}::jsonb)
    on conflict (bucket, customer_id, external_id) where external_id is not null do nothing
    returning id`;
  if (inserted.length === 0)
    throw externalIdTaken({ type: 'schedule', id: (await findScheduleId(tx, customerId, externalId!))! });
  return id;
}

async function requireLabelFor(tx: Sql, customer: Customer, labelId: string, path: string): Promise<Label> {
  const label = await findLabel(tx, labelId);
  if (!label || label.removed) throw refuse('labelNotFound');
  if (label.accountId !== customer.accountId) throw refuse('forbidden');
  if (label.customerId !== customer.id) throw invalid({ ...otherCustomer, path });
  return label;
}

const otherCurrencies: Fault = { code: 'Invalid', message: 'Labels must have the same currency.', path: '/_links/to/href' };
