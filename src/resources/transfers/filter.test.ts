// Tests of the filters of lists: metadata, external ids, correlation ids and references, compared with filters of the test's own.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { reallocation, usd } from '../../../test/support/data.ts';
import { assertRefused, type Body } from '../../../test/support/http.ts';
import { openAccount, startService } from '../../../test/support/service.ts';

const shared = await startService({ after });

const LISTS = ['label-reallocations', 'deposits', 'withdrawals', 'transfers'] as const;
const KEYS = ['shop', 'order', 'a.b-c'];

type Texts = { metadata?: Record<string, string>; reference?: string; correlationId?: string };

const metadataOf = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom('1', '2', 'ü=&'), { minKeys: 1, maxKeys: 3 });
const texts: fc.Arbitrary<Texts> = fc.record(
  { metadata: metadataOf, reference: fc.constantFrom('x', 'y'), correlationId: fc.constantFrom('x', 'y') },
  { requiredKeys: [] },
);

test('lists filter by metadata and texts as an independent filter does, page by page', async () => {
  const { create, get, newLabels } = await openAccount(shared);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(2), texts), { minLength: 5, maxLength: 12 }), texts, async (made, wanted) => {
      const { customer, from, to } = await newLabels();
      for (const [kind, more] of made) {
        if (kind === 0) await create('/label-reallocations', { ...reallocation(from, to, '0.01'), ...more });
        else await create(`${customer}/${kind === 1 ? 'deposits' : 'withdrawals'}`, { amount: usd('0.01'), ...more });
      }
      const query = parametersOf(wanted);
      for (const list of LISTS) {
        const all: Body[] = await allOf(get, `${customer}/${list}?limit=200`, list);
        const matching = all.filter((one) => hasAll(one, wanted));
        const found = await allOf(get, `${customer}/${list}?limit=2&${query}`, list);
        assert.deepEqual(found, matching, `${list} ${query}`);
        assert.equal((await get(`${customer}/${list}?limit=1&${query}`)).total, matching.length);
      }
    }),
    { numRuns: 12 },
  );
});

test('labels filter by metadata, and links keep the filter', async () => {
  const { create, get, newCustomer } = await openAccount(shared);
  const customer = await newCustomer();
  for (const color of ['red', 'blue', 'red'])
    await create(`${customer}/labels`, { amount: usd('0'), metadata: { color, size: 'L' } });
  const page = await get(`${customer}/labels?limit=1&metadata%5Bcolor%5D=red&metadata[size]=L`);
  assert.equal(page.total, 2);
  assert.match(page._links.next.href, /metadata%5Bcolor%5D=red&metadata%5Bsize%5D=L/);
  assert.equal((await get(page._links.next.href))._embedded.labels[0].metadata.color, 'red');
  assert.equal((await get(`${customer}/labels?metadata[color]=re`)).total, 0, 'values match exactly');
});

test('the external id finds a deposit, a withdrawal, a reallocation and their transfers', async () => {
  const { create, get, newLabels } = await openAccount(shared);
  const { customer, from, to } = await newLabels();
  const externalId = 'mine-1';
  const made = [
    await create('/label-reallocations', { ...reallocation(from, to, '1.00'), externalId }),
    await create(`${customer}/deposits`, { amount: usd('1.00'), externalId }),
    await create(`${customer}/withdrawals`, { amount: usd('1.00'), externalId }),
  ];
  for (const [nth, list] of LISTS.slice(0, 3).entries()) {
    const { total, _embedded } = await get(`${customer}/${list}?externalId=${externalId}`);
    assert.deepEqual([total, _embedded[list][0]._links.self.href], [1, made[nth]]);
  }
  const { total, _embedded } = await get(`${customer}/transfers?externalId=${externalId}`);
  assert.deepEqual([total, _embedded.transfers.map((one: Body) => one.externalId)], [3, [externalId, externalId, externalId]]);
});

test('refuses malformed filters and names the parameter', async () => {
  const { call, newCustomer } = await openAccount(shared);
  const customer = await newCustomer();
  const pairs = KEYS.map((key) => `metadata[${key}]=1`).join('&');
  for (const [query, path] of [
    ['metadata=x', '/query/metadata'],
    [`${pairs}&metadata[fourth]=1`, '/query/metadata'],
    ['metadata[]=x', '/query/metadata'],
    [`metadata[${encodeURIComponent('a b')}]=x`, '/query/metadata'],
    ['metadata[a]=1&metadata[a]=2', '/query/metadata'],
    [`metadata[a]=${'x'.repeat(501)}`, '/query/metadata'],
    ['metadata[a]=b%00', '/query/metadata'],
    ['metadata[a=x', '/query/metadata[a'],
    ['limit[a]=1', '/query/limit[a]'],
  ] as const) {
    for (const list of [...LISTS, 'labels'])
      assertRefused(await call('GET', `${customer}/${list}?${query}`), { status: 400, code: 'ValidationError', path });
  }
});

function parametersOf({ metadata = {}, ...others }: Texts): string {
  const pairs = Object.entries(metadata).map(([key, value]) => [`metadata[${key}]`, value]);
  return new URLSearchParams([...Object.entries(others), ...pairs] as [string, string][]).toString();
}

function hasAll(one: Body, { metadata = {}, ...others }: Texts): boolean {
  return (
    Object.entries(others).every(([name, text]) => one[name] === text) &&
    Object.entries(metadata).every(([key, value]) => one.metadata?.[key] === value)
  );
}

async function allOf(get: (url: string) => Promise<Body>, url: string, list: string): Promise<Body[]> {
  const found: Body[] = [];
  for (let next: string | undefined = url; next; ) {
    const page: Body = await get(next);
    found.push(...page._embedded[list]);
    next = page._links.next?.href;
  }
  return found;
}
