// Answers the account-wide search of transfers.
import type { Static } from 'typebox';
import { AmountSchema, ReferenceSchema, readAmount } from '../../core/money/amount.ts';
import { type Amount, MAX_VALUE_LENGTH, UNSIGNED } from '../../core/money/money.ts';
import { type Fault, invalid } from '../../core/problems.ts';
import { CHECKED_LATER } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { EXAMINED_MAX, searchTransfers } from '../../ledger/transfers/transfer-search.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { correlated } from '../../platform/http/correlation-id.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { LongPeriodQuery, periodOf } from '../../platform/http/moments.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import { represent, TransferSchema } from './transfer.ts';

type SearchQuery = Static<typeof SearchQuery>;

const { limit, after, createdFrom, createdBefore } = LongPeriodQuery.properties;

export const SearchQuery = Type.Object({
  limit,
  after,
  createdFrom,
  createdBefore,
  id: Type.Optional({ ...IdSchema, description: 'Id of a transfer, or of one of its ledger entries.' }),
  reference: Type.Optional({ ...ReferenceSchema, description: 'Exact reference.' }),
  ...correlated,
  amount: Type.Optional(
    Type.String({
      description: 'Exact amount, with `currency`. Combine it with a day.',
      [CHECKED_LATER]: { maxLength: MAX_VALUE_LENGTH, pattern: UNSIGNED.source },
    }),
  ),
  currency: Type.Optional({ ...AmountSchema.properties.currency, maxLength: 3, description: 'ISO 4217 code of `amount`.' }),
});

export const TransferSearchResult = Type.Object(
  {
    _links: Type.Object(
      { self: LinkSchema, next: linkWhen('Present unless the search has ended.') },
      { title: 'SearchLinks', description: 'A link to the next page of a search.' },
    ),
    _embedded: Type.Object({ transfers: Type.Array(TransferSchema) }),
  },
  {
    title: 'TransferSearchResult',
    description: 'A page of transfers of all customers. A page may be short, or empty, and have a next one.',
  },
);

const ofCurrency: Fault = { code: 'Required', message: 'amount and currency go together.', path: '/query/currency' };
const notFound: Fault = { code: 'Invalid', message: 'after must be the id of a transfer.', path: '/query/after' };
const tooMany: Fault = {
  code: 'NotAllowed',
  message: `More than ${EXAMINED_MAX.toLocaleString('en')} transfers have this text. Narrow the search by createdFrom and createdBefore.`,
  path: '/query/createdFrom',
};

/** Refuses with ValidationError for an unknown `after`, an amount without a currency, and a text that too many transfers have. */
export async function transferSearch(
  { links, sql }: { links: Links; sql: Sql },
  accountId: string,
  query: SearchQuery,
): Promise<Static<typeof TransferSearchResult>> {
  const { id, reference, correlationId, amount, currency, after, limit } = query;
  if ((amount === undefined) !== (currency === undefined)) throw invalid(ofCurrency);
  const found = await searchTransfers(sql, {
    ...{ accountId, id, reference, correlationId, currency, after, limit },
    amount: amount === undefined ? undefined : requireQueryAmount({ value: amount, currency: currency! }),
    ...periodOf(query),
  });
  if (found === 'afterUnknown') throw invalid(notFound);
  if (found === 'tooMany') throw invalid(tooMany);
  const to = (position: object) => {
    const members = Object.entries({ ...query, ...position }).filter(([, value]) => value !== undefined);
    return links.link(`/transfers?${new URLSearchParams(members.map(([name, value]) => [name, String(value)]))}`, 'transfer');
  };
  const { transfers, next } = found;
  const following =
    next && ('after' in next ? { after: next.after } : { after: undefined, createdBefore: next.before.toISOString() });
  return {
    _links: { self: to({}), ...(following && { next: to(following) }) },
    _embedded: { transfers: transfers.map((transfer) => represent(links, transfer)) },
  };
}

function requireQueryAmount(amount: Amount): bigint {
  const read = readAmount(amount, 'positive');
  if (!('fault' in read)) return read.minorUnits;
  const { fault } = read;
  throw invalid({ ...fault, path: fault.path === '/amount/currency' ? '/query/currency' : '/query/amount' });
}
