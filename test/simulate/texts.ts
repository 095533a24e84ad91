// Simulated texts of transfers and labels, and lists filtered by them.
import assert from 'node:assert/strict';
import type { Body } from '../support/http.ts';
import { type Account, CURRENCIES, type Currency, type Customer, live, type Pairs, type Texts } from './model.ts';
import type { World } from './world.ts';

const IDS = 60;
const VALUES = ['a', 'b', 'Grüße, 7'];

export const someCurrency = ({ random }: World) =>
  (random.chance(0.7) ? 'USD' : random.pick(Object.keys(CURRENCIES))) as Currency;

/** Sometimes an external id, which may be taken, and sometimes metadata. */
export function someTexts({ random }: World): Texts {
  return {
    ...(random.chance(0.2) && { externalId: `id-${random.int(1, IDS)}` }),
    ...(random.chance(0.3) && { metadata: somePairs(random) }),
  };
}

export function somePairs(random: World['random']): Pairs {
  return { tag: random.pick(VALUES), ...(random.chance(0.5) && { n: String(random.int(1, 3)) }) };
}

/** Compares a list filtered by metadata, or by an external id, with the model. */
export async function listFiltered(world: World, account: Account, customer: Customer): Promise<void> {
  const { random } = world;
  const name = random.pick(['labels', 'label-reallocations', 'deposits', 'withdrawals', 'transfers'] as const);
  const { labels, moves, deposits, withdrawals, returns } = { ...customer, labels: live(customer) };
  const listed: Record<typeof name, (Texts & { url: string })[]> = {
    labels: labels.map(({ url, metadata }) => ({ url, ...(metadata && { metadata }) })),
    'label-reallocations': moves,
    deposits,
    withdrawals,
    transfers: [...moves, ...deposits, ...withdrawals, ...returns],
  };
  const externalId = random.chance(0.4) ? `id-${random.int(1, IDS)}` : undefined;
  const pairs = externalId === undefined || random.chance(0.2) ? somePairs(random) : {};
  const wanted = listed[name].filter(
    (one) =>
      (externalId === undefined || one.externalId === externalId) &&
      Object.entries(pairs).every(([key, value]) => one.metadata?.[key] === value),
  );
  const query = new URLSearchParams({
    limit: '200',
    ...(externalId !== undefined && { externalId }),
    ...Object.fromEntries(Object.entries(pairs).map(([key, value]) => [`metadata[${key}]`, value])),
  });
  const { total, _embedded } = await world.get(account, `${customer.url}/${name}?${query}`);
  const found = _embedded[name].map((one: Body) => idIn(one._links.self?.href ?? one._links.transfer.href));
  const ids = wanted.map(({ url }) => idIn(url)).sort();
  assert.equal(total, ids.length, `${name}?${query}`);
  if (ids.length <= 200) assert.deepEqual(found.sort(), ids);
}

const idIn = (url: string) => url.slice(url.lastIndexOf('/') + 1);
