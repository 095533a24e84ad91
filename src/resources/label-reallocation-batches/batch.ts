// Batches of label reallocations and of withdrawals from labels: schema, queries and representation. A batch keeps what became of each.
import type { Static, TSchema } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { CHECKED_LATER, STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { WithdrawalRequest } from '../funds/movement.ts';
import { ReallocationRequest } from '../label-reallocations/label-reallocation.ts';
import { LabelLink } from '../labels/label.ts';

type Mode = (typeof MODES)[number];
export type BatchRequest = Static<typeof BatchRequest>;
export type ItemRequest = Static<typeof ItemRequest>;
export type WithdrawalItemRequest = Static<typeof WithdrawalItemRequest>;

/** The id of the transfer that an item made, or its refusal. */
export type Result = string | { code: string; message: string; path: string };

/** The results of the reallocations and of the withdrawals, each in the order of the request. */
type Results = { results: Result[]; withdrawals: Result[] };

type Batch = { id: string; accountId: string; mode: Mode; created: Date } & Results;

const MODES = ['atomic', 'independent'] as const;
/** Reallocations and withdrawals together. */
export const ITEMS_MAX = 1000;
/** Keywords about values, which are decided by item. The other keywords are about the shape of the request. */
const VALUE_KEYWORDS = new Set(['minLength', 'maxLength', 'pattern', 'maxProperties', 'propertyNames']);

export const ItemRequest = Type.Object(ReallocationRequest.properties, { title: 'BatchItem', ...STRICT });

export const WithdrawalItemRequest = Type.Object(
  { ...WithdrawalRequest.properties, _links: Type.Object({ from: LabelLink }, STRICT) },
  { title: 'BatchWithdrawal', ...STRICT },
);

export const BatchRequest = Type.Object(
  {
    mode: Type.Enum(MODES, {
      description: '`atomic`: all items are of one customer, and all are made or none. `independent`: each item by itself.',
    }),
    items: Type.Optional(Type.Array(valuesLater(ItemRequest), { minItems: 1, maxItems: ITEMS_MAX })),
    withdrawals: Type.Optional(
      Type.Array(valuesLater(WithdrawalItemRequest), {
        minItems: 1,
        maxItems: ITEMS_MAX,
        description: 'Withdrawals from labels, which are decided after the items. They also need the scope `funds`.',
      }),
    ),
  },
  {
    title: 'LabelReallocationBatchRequest',
    description: `\`items\`, \`withdrawals\` or both; together at most ${ITEMS_MAX}.`,
    [CHECKED_LATER]: { minProperties: 2 },
    ...STRICT,
  },
);

const Index = Type.Integer({ minimum: 0, maximum: ITEMS_MAX - 1, description: 'Position in its list of the request.' });

const RefusedSchema = Type.Object(
  {
    index: Index,
    code: Type.String({ description: 'Code of the error: that of a refused value, `NotFound` or `Forbidden`.' }),
    message: Type.String(),
    path: Type.String({ description: 'JSON pointer (RFC 6901) into the body of the request.' }),
  },
  { title: 'RefusedItem' },
);

const ResultSchema = Type.Union(
  [
    Type.Object({ index: Index, _links: Type.Object({ 'label-reallocation': LinkSchema }) }, { title: 'MadeItem' }),
    RefusedSchema,
  ],
  { title: 'BatchResult' },
);

const WithdrawalResultSchema = Type.Union(
  [Type.Object({ index: Index, _links: Type.Object({ withdrawal: LinkSchema }) }, { title: 'MadeWithdrawal' }), RefusedSchema],
  { title: 'BatchWithdrawalResult' },
);

export const BatchSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    id: IdSchema,
    mode: Type.Enum(MODES),
    created: Type.String({ format: 'date-time' }),
    total: Type.Integer({ minimum: 1, maximum: ITEMS_MAX, description: 'Of items and withdrawals.' }),
    succeeded: Type.Integer({ minimum: 0, maximum: ITEMS_MAX }),
    refused: Type.Integer({ minimum: 0, maximum: ITEMS_MAX }),
    _embedded: Type.Object({
      results: Type.Array(ResultSchema, { maxItems: ITEMS_MAX, description: 'Of the items.' }),
      withdrawals: Type.Optional(
        Type.Array(WithdrawalResultSchema, { maxItems: ITEMS_MAX, description: 'Of the withdrawals, if the request had some.' }),
      ),
    }),
  },
  { title: 'LabelReallocationBatch' },
);

/** The batch with this id, or undefined. */
export const findBatch = lookUp<Batch>(
  ({ bucket, id }) => fragment`
    select id, account_id, mode, created, results, withdrawals
    from label_reallocation_batch where bucket = ${bucket} and id = ${id}`,
);

export async function insertBatch(tx: Sql, { id, accountId, mode, created, results, withdrawals }: Batch): Promise<void> {
  await tx`
    insert into label_reallocation_batch (bucket, id, account_id, mode, created, results, withdrawals)
    values (${bucketOf(id)}, ${id}, ${accountId}, ${mode}, ${created}, ${JSON.stringify(results)}, ${JSON.stringify(withdrawals)})`;
}

export function represent(links: Links, { id, mode, created, results, withdrawals }: Batch): Static<typeof BatchSchema> {
  const all = [...results, ...withdrawals];
  const refused = all.filter((result) => typeof result !== 'string').length;
  return {
    _links: { self: links.to('label-reallocation-batch', id) },
    id,
    mode,
    created: created.toISOString(),
    total: all.length,
    succeeded: all.length - refused,
    refused,
    _embedded: {
      results: results.map((result, index) =>
        typeof result === 'string'
          ? { index, _links: { 'label-reallocation': links.to('label-reallocation', result) } }
          : { index, ...result },
      ),
      ...(withdrawals.length > 0 && {
        withdrawals: withdrawals.map((result, index) =>
          typeof result === 'string' ? { index, _links: { withdrawal: links.to('withdrawal', result) } } : { index, ...result },
        ),
      }),
    },
  };
}

/** A copy of a schema whose constraints on values are documented, but not checked with the request. */
function valuesLater<T extends TSchema>(schema: T): T {
  return copy(schema) as T;

  function copy(node: unknown): unknown {
    if (Array.isArray(node) || node === null || typeof node !== 'object') return node;
    const entries = Object.entries(node);
    // Names of members may equal keywords, but their values are schemas.
    const isValue = ([name, value]: [string, unknown]) =>
      VALUE_KEYWORDS.has(name) && (typeof value !== 'object' || name === 'propertyNames');
    const later = Object.fromEntries(entries.filter(isValue));
    const now = entries
      .filter((entry) => !isValue(entry))
      .map(([name, value]) => [name, name === CHECKED_LATER ? value : copy(value)]);
    if (Object.keys(later).length === 0) return Object.fromEntries(now);
    const known = (node as Record<string, object | undefined>)[CHECKED_LATER];
    return { ...Object.fromEntries(now), [CHECKED_LATER]: { ...known, ...later } };
  }
}
