// Labels: schema, queries and representation. A label is a named part of a customer's balance, stored as a ledger account.
import type { Static } from 'typebox';
import type { FormerNames } from '../../../packages/proof/src/former-names.ts';
import { bucketOf, sortByBucket } from '../../core/ids.ts';
import { AmountRequest, AmountSchema } from '../../core/money/amount.ts';
import { formatAmount } from '../../core/money/money.ts';
import { CHECKED_LATER, NO_CONTROL_CHARACTERS, STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { heldAt } from '../../ledger/transfers/balance.ts';
import { bucketArray, uuidArray } from '../../platform/db/binary-array.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { external, type Metadata, MetadataSchema, representExternal } from '../../platform/forms/external.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';

export type Label = {
  id: string;
  accountId: string;
  customerId: string;
  name: string | null;
  formerNames: FormerNames | null;
  correlationId: string | null;
  externalId: string | null;
  metadata: Metadata | null;
  currency: string;
  balance: bigint;
  /** The number of the label's ledger entries. */
  version: bigint;
  /** The time of the last entry. */
  latest: Date;
  frozen: boolean;
  /** Whether the texts of the customer were erased. */
  erased: boolean;
  /** What pending holds have left, and when the first of them expires. */
  held: bigint;
  heldUntil: Date | null;
  created: Date;
  removed: Date | null;
};

const MEDIA_TYPE_LENGTH = 255;
/** Of labels that are looked up by names. */
const CALLED_MAX = 100;

/** In a request. */
export const LabelLink = Type.Object(
  {
    href: Type.String({ description: 'URL of a label, {base}/labels/{id}.', [CHECKED_LATER]: { format: 'uri' } }),
    type: Type.Optional(Type.String({ maxLength: MEDIA_TYPE_LENGTH })),
    'resource-type': Type.Optional(Type.Enum(['label'])),
  },
  { title: 'LabelLink', description: 'Only href is needed. A link that was read can be sent back as it is.', ...STRICT },
);

const LabelName = Type.String({ minLength: 1, maxLength: 100, pattern: NO_CONTROL_CHARACTERS });

export type LabelRequest = Static<typeof LabelRequest>;

export const LabelRequest = Type.Object(
  {
    amount: AmountRequest,
    name: Type.Optional(LabelName),
    ...correlated,
    ...external,
  },
  { title: 'LabelRequest', ...STRICT },
);

export type LabelChange = Static<typeof LabelChange>;

export const LabelChange = Type.Object(
  { name: Type.Optional(LabelName), metadata: Type.Optional(MetadataSchema) },
  {
    title: 'LabelChange',
    description: 'At least one of them. Pairs that are not in `metadata` are dropped.',
    ...STRICT,
  },
);

export const LabelSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      'ledger-entries': LinkSchema,
      customer: LinkSchema,
      update: linkWhen('Present while the customer may move money.'),
      remove: linkWhen('Present while the amount is zero.'),
    }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    amount: AmountSchema,
    held: Type.Optional(AmountSchema),
    available: Type.Optional(AmountSchema),
    name: Type.Optional(Type.String()),
    correlationId: Type.Optional(Type.String()),
    ...external,
  },
  {
    title: 'Label',
    description:
      '`held` is what pending holds have left of the amount, and `available` the rest. Both are absent while nothing is held.',
  },
);

const columns = fragment`
  id, account_id, customer_id, name, former_names, correlation_id, external_id, metadata, currency, balance, version, latest, frozen, erased, held, held_until, created,
  removed`;

/** The label with this id, removed or not, or undefined. */
export const findLabel = lookUp<Label>(
  ({ bucket, id }) => fragment`select ${columns} from ledger_account where bucket = ${bucket} and id = ${id} and kind = 'label'`,
);

type LabelOwner = Pick<Label, 'id' | 'accountId' | 'customerId' | 'removed'>;

/**
 * The owners of labels by id, removed ones included. A label that does not exist is missing in the result. The kind is compared here: if the
 * statement asked for it, the planner would expect few labels, and compare all of them with all ids.
 */
export async function findLabels(sql: Sql, ids: Set<string>): Promise<Map<string, LabelOwner>> {
  if (ids.size === 0) return new Map();
  const sorted = sortByBucket(ids);
  const rows = await sql<LabelOwner & { kind: string }>`
    select a.id, a.account_id, a.customer_id, a.removed, a.kind
    from unnest(${bucketArray(sorted)}::int[], ${uuidArray(sorted)}::uuid[]) as w (bucket, id)
    join ledger_account a on a.bucket = w.bucket and a.id = w.id`;
  return new Map(rows.filter(({ kind }) => kind === 'label').map((row) => [row.id, row]));
}

/** Returns a label of the caller's account. Refuses as requireOwned does; a removed label is missing. */
export async function requireLabel(sql: Sql, caller: { accountId: string }, id: string): Promise<Label> {
  const label = await findLabel(sql, id);
  return requireOwned(label?.removed ? undefined : label, caller);
}

/** The id of a customer's label, removed or not, or undefined. */
export async function findLabelId(sql: Sql, customerId: string, externalId: string): Promise<string | undefined> {
  const [label] = await sql<{ id: string }>`
    select id from ledger_account
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and external_id = ${externalId}`;
  return label?.id;
}

/** A page of a customer's labels, newest first, and the total. Removed labels are left out. */
export async function listLabels(
  sql: Sql,
  customerId: string,
  {
    limit,
    offset,
    correlationId,
    externalId,
    metadata,
  }: Page & {
    correlationId?: string | undefined;
    externalId?: string | undefined;
    metadata?: Metadata | undefined;
  },
): Promise<{ elements: Label[]; total: number }> {
  const labels = fragment`
    from ledger_account
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and kind = 'label' and removed is null
      and correlation_id is not distinct from coalesce(${correlationId}, correlation_id)
      and external_id is not distinct from coalesce(${externalId}, external_id)
      ${metadata === undefined ? fragment`` : fragment`and metadata @> ${metadata}::jsonb`}`;
  const elements = await sql<Label>`
    select ${columns} ${labels}
    order by id desc
    limit ${limit} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`select count(*) as total ${labels}`;
  return { elements, total: Number(count?.total) };
}

/** Labels of a customer by id, by the whole name, or by the end of the id; at most `CALLED_MAX`. */
export async function findLabelsCalled(
  sql: Sql,
  customerId: string,
  { ids, names, endings }: Record<'ids' | 'names' | 'endings', string[]>,
): Promise<Label[]> {
  return sql<Label>`
    select ${columns} from ledger_account
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and kind = 'label' and removed is null
      and (id = any(${ids}) or lower(name) = any(${names.map((name) => name.toLowerCase())}) or right(id::text, 8) = any(${endings}))
    order by id desc limit ${CALLED_MAX}`;
}

/** Labels of one customer as they are now: holds that have expired hold nothing, also before they are ended. */
export async function withHeld<Held extends Pick<Label, 'id' | 'held' | 'heldUntil'>>(
  sql: Sql,
  labels: Held[],
  now: Date,
): Promise<Held[]> {
  const stale = labels.filter(({ heldUntil }) => heldUntil !== null && heldUntil <= now).map(({ id }) => id);
  if (stale.length === 0) return labels;
  const bucket = bucketOf(stale[0]!);
  const rows = await sql<{ id: string; held: bigint }>`
    select a.id, (${heldAt(bucket, now)})::bigint as held from ledger_account a where a.bucket = ${bucket} and a.id = any (${stale})`;
  const held = new Map(rows.map((row) => [row.id, row.held]));
  return labels.map((label) => ({ ...label, held: held.get(label.id) ?? label.held }));
}

export function represent(links: Links, label: Label): Static<typeof LabelSchema> {
  const self = links.to('label', label.id);
  const entries = links.link(`/labels/${label.id}/ledger-entries`, 'ledger-entry');
  return {
    _links: {
      self,
      'ledger-entries': entries,
      customer: links.to('customer', label.customerId),
      ...(!label.frozen && !label.removed && { update: entries }),
      ...(label.balance === 0n && !label.removed && { remove: self }),
    },
    id: label.id,
    created: label.created.toISOString(),
    amount: formatAmount(label.balance, label.currency),
    ...(label.held > 0n && {
      held: formatAmount(label.held, label.currency),
      available: formatAmount(label.balance - label.held, label.currency),
    }),
    ...(label.name !== null && { name: label.name }),
    ...(label.correlationId !== null && { correlationId: label.correlationId }),
    ...representExternal(label),
  };
}
