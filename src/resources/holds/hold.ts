// Holds: schema, queries and representation. A hold keeps money of a label, or of the available balance, from being spent.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { AmountOrAllSchema, AmountRequest, AmountSchema, ReferenceSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { findCaptures, type StoredTransfer } from '../../ledger/transfers/transfer.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { external, type Metadata, representExternal } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';
import { LabelLink } from '../labels/label.ts';
import { resourceOf } from '../transfers/transfer.ts';

export const STATUSES = ['pending', 'captured', 'released', 'expired'] as const;
type Status = (typeof STATUSES)[number];

/** Amounts are in minor units. `status`: as stored: a pending hold that has expired is ended later. */
export type Hold = {
  id: string;
  accountId: string;
  customerId: string;
  ledgerAccountId: string;
  ofLabel: boolean;
  currency: string;
  amount: bigint;
  captured: bigint;
  status: Status;
  expires: Date;
  created: Date;
  closed: Date | null;
  reference: string | null;
  correlationId: string | null;
  externalId: string | null;
  metadata: Metadata | null;
};

/** Of each hold that is shown. */
const CAPTURES_SHOWN = 100;

const texts = { reference: Type.Optional(ReferenceSchema), ...correlated, ...external };

export type HoldRequest = Static<typeof HoldRequest>;

export const HoldRequest = Type.Object(
  {
    _links: Type.Optional(
      Type.Object({ from: LabelLink }, { description: 'Without it, money of the available balance is held.', ...STRICT }),
    ),
    amount: AmountRequest,
    expires: Type.Optional(
      Type.String({ format: 'date-time', description: 'At most 400 days ahead. Seven days ahead by default.' }),
    ),
    ...texts,
  },
  { title: 'HoldRequest', ...STRICT },
);

export type CaptureRequest = Static<typeof CaptureRequest>;

export const CaptureRequest = Type.Object(
  {
    _links: Type.Optional(
      Type.Object({ to: LabelLink }, { description: 'Without it, the money leaves the customer, as a withdrawal.', ...STRICT }),
    ),
    amount: Type.Optional(AmountOrAllSchema),
    final: Type.Optional(Type.Boolean({ description: 'Releases what is left afterwards.' })),
    ...texts,
  },
  { title: 'CaptureRequest', description: 'Without `amount`, all that the hold has left.', ...STRICT },
);

const CaptureSchema = Type.Object(
  { _links: Type.Object({ transfer: LinkSchema }), amount: AmountSchema, created: Type.String({ format: 'date-time' }) },
  {
    title: 'Capture',
    description: 'A transfer of money that was held: a reallocation, a withdrawal, or a ledger entry of a label.',
  },
);

export const HoldSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      customer: LinkSchema,
      from: linkWhen('Present for a hold of a label.'),
      capture: linkWhen('Present while the hold is pending.'),
      release: linkWhen('Present while the hold is pending.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    status: Type.Enum(STATUSES, { title: 'HoldStatus' }),
    amount: AmountSchema,
    captured: AmountSchema,
    remaining: AmountSchema,
    expires: Type.String({ format: 'date-time', description: 'From this moment on, the money is available again.' }),
    closed: Type.Optional(Type.String({ format: 'date-time', description: 'When it was captured or released, or expired.' })),
    reference: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    ...external,
    _embedded: Type.Optional(
      Type.Object(
        { captures: Type.Array(CaptureSchema) },
        { title: 'Captures', description: `Oldest first; the last ${CAPTURES_SHOWN}. Absent before the first.` },
      ),
    ),
  },
  { title: 'Hold', description: '`remaining` is what it holds now: nothing unless it is pending.' },
);

const columns = fragment`
  id, account_id, customer_id, ledger_account_id, of_label, currency, amount, captured, status, expires, created, closed, reference,
  correlation_id, external_id, metadata`;

/** The hold with this id, or undefined. */
export const findHold = lookUp<Hold>(
  ({ bucket, id }) => fragment`select ${columns} from hold where bucket = ${bucket} and id = ${id}`,
);

/** Returns a hold of the caller's account. Refuses as requireOwned does. */
export async function requireHold(sql: Sql, caller: { accountId: string }, id: string): Promise<Hold> {
  return requireOwned(await findHold(sql, id), caller);
}

/** The id of a customer's hold, or undefined. */
export async function findHoldId(sql: Sql, customerId: string, externalId: string): Promise<string | undefined> {
  const [hold] = await sql<{ id: string }>`
    select id from hold where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and external_id = ${externalId}`;
  return hold?.id;
}

type Filter = { status?: Status | undefined; externalId?: string | undefined; now: Date };

/** A page of a customer's holds, newest first, and the total. */
export async function listHolds(
  sql: Sql,
  customerId: string,
  { limit, offset, status, externalId, now }: Page & Filter,
): Promise<{ elements: Hold[]; total: number }> {
  const shown = fragment`case when status = 'pending' and expires <= ${now} then 'expired' else status end`;
  const holds = fragment`
    from hold
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId}
      ${status === undefined ? fragment`` : fragment`and ${shown} = ${status}`}
      and external_id is not distinct from coalesce(${externalId}, external_id)`;
  const elements = await sql<Hold>`select ${columns} ${holds} order by id desc limit ${limit} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`select count(*) as total ${holds}`;
  return { elements, total: Number(count?.total) };
}

/** Represents holds of one customer as they are at a moment, with their captures. */
export async function representAll({ links, sql }: { links: Links; sql: Sql }, holds: Hold[], now: Date) {
  const captured = holds.filter((hold) => hold.captured > 0n).map(({ id }) => id);
  const captures = captured.length > 0 ? await findCaptures(sql, bucketOf(captured[0]!), captured, CAPTURES_SHOWN) : undefined;
  return holds.map((hold) => represent(links, hold, { now, captures: captures?.get(hold.id) }));
}

function represent(
  links: Links,
  hold: Hold,
  { now, captures }: { now: Date; captures: StoredTransfer[] | undefined },
): Static<typeof HoldSchema> {
  const { id, currency, amount, captured, expires } = hold;
  const hasExpired = hold.status === 'pending' && expires <= now;
  const status = hasExpired ? 'expired' : hold.status;
  const closed = hasExpired ? expires : hold.closed;
  return {
    _links: {
      self: links.to('hold', id),
      customer: links.to('customer', hold.customerId),
      ...(hold.ofLabel && { from: links.to('label', hold.ledgerAccountId) }),
      ...(status === 'pending' && {
        capture: links.link(`/holds/${id}/captures`, 'hold'),
        release: links.link(`/holds/${id}/releases`, 'hold'),
      }),
    },
    id,
    created: hold.created.toISOString(),
    status,
    amount: formatAmount(amount, currency),
    captured: formatAmount(captured, currency),
    remaining: formatAmount(status === 'pending' ? amount - captured : 0n, currency),
    expires: expires.toISOString(),
    ...(closed && { closed: closed.toISOString() }),
    ...(hold.reference !== null && { reference: hold.reference }),
    ...(hold.correlationId !== null && { correlationId: hold.correlationId }),
    ...representExternal(hold),
    ...(captures && {
      _embedded: {
        captures: captures.map((transfer) => ({
          _links: { transfer: links.to(...resourceOf(transfer)) },
          amount: formatAmount(transfer.amount, currency),
          created: transfer.created.toISOString(),
        })),
      },
    }),
  };
}
