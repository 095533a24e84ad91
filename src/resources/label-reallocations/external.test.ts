// Tests of external ids and metadata on reallocations, deposits and withdrawals.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertRefused } from '../../../test/support/http.ts';
import { openMoves } from '../../../test/support/label-reallocations.ts';
import { startService } from '../../../test/support/service.ts';

// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

const amount = { value: '1.00', currency: 'USD' };
const metadata = { 'order.id': 'A-17', note: 'first\nsecond „line“' };

/** A function that creates each kind of record with external members. */
async function openKinds() {
  const account = await openMoves(shared);
  const { call, customer, from, to, reallocation } = account;
  const kinds = {
    'label-reallocation': ['/label-reallocations', reallocation(from, to, '1.00')],
    deposit: [`${customer}/deposits`, { amount }],
    withdrawal: [`${customer}/withdrawals`, { amount }],
  } as const;
  const create = (kind: keyof typeof kinds, members: object, key?: string) => {
    const [path, body] = kinds[kind];
    return call('POST', path, { body: { ...body, ...members }, ...(key && { key }) });
  };
  await call('POST', `${customer}/deposits`, { body: { amount: { value: '50.00', currency: 'USD' } } });
  return { ...account, kinds: Object.keys(kinds) as (keyof typeof kinds)[], create };
}

test('an external id is unique for a customer and kind, and a repeated key is replayed', async () => {
  const { call, kinds, create } = await openKinds();
  for (const kind of kinds) {
    const made = await create(kind, { externalId: 'ours-1', metadata }, kind);
    assert.equal(made.status, 201, made.text);
    const { body } = await call('GET', made.headers.location!);
    assert.deepEqual([body.externalId, body.metadata], ['ours-1', metadata]);
    const again = await create(kind, { externalId: 'ours-1' });
    assertRefused(again, { status: 409, code: 'Conflict', message: 'The externalId is already in use.' });
    assert.equal(again.body._links.about.href, made.headers.location);
    const replayed = await create(kind, { externalId: 'ours-1', metadata }, kind);
    assert.deepEqual([replayed.status, replayed.headers.location], [201, made.headers.location]);
    assert.equal((await create(kind, { externalId: 'ours-2' })).status, 201);
  }
});

test('of many concurrent requests with one external id, one is made', async () => {
  const { call, customer, create } = await openKinds();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => create('label-reallocation', { externalId: 'once', reference: 'many' })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)]);
  const list = (await call('GET', `${customer}/label-reallocations?externalId=once&limit=1`)).body;
  assert.deepEqual([list.total, list._embedded['label-reallocations'][0].externalId], [1, 'once']);
  assert.equal((await call('GET', `${customer}/label-reallocations?externalId=other`)).body.total, 0);
});

test('refuses invalid external ids and metadata with their pointers', async () => {
  const { kinds, create } = await openKinds();
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, '']));
  const refused = (path: string, fault: string) => ({ status: 400, code: 'ValidationError', path, fault });
  for (const kind of kinds) {
    assertRefused(await create(kind, { externalId: '' }), refused('/externalId', 'Required'));
    assertRefused(await create(kind, { externalId: 'a b' }), refused('/externalId', 'InvalidFormat'));
    assertRefused(await create(kind, { externalId: 'é' }), refused('/externalId', 'InvalidFormat'));
    assertRefused(await create(kind, { externalId: 'x'.repeat(256) }), refused('/externalId', 'Invalid'));
    assertRefused(await create(kind, { metadata: { 'a/b~c': '1' } }), refused('/metadata/a~1b~0c', 'InvalidFormat'));
    assertRefused(
      await create(kind, { metadata: { ['k'.repeat(41)]: '1' } }),
      refused(`/metadata/${'k'.repeat(41)}`, 'InvalidFormat'),
    );
    assertRefused(await create(kind, { metadata: { key: 'x'.repeat(501) } }), refused('/metadata/key', 'Invalid'));
    assertRefused(await create(kind, { metadata: pairs(21) }), refused('/metadata', 'Invalid'));
    assertRefused(await create(kind, { metadata: { key: 1 } }), { status: 400, code: 'BadRequest' });
    assertRefused(await create(kind, { externalId: 7 }), { status: 400, code: 'BadRequest' });
    assert.equal((await create(kind, { externalId: '!'.repeat(255), metadata: pairs(20) })).status, 201);
  }
});

test('of two processes that use one external id at once, one is refused with the record of the other', async (t) => {
  const { call, customer, client, newLabel, kinds, ...rest } = await openKinds();
  const other = await startService(t, { beside: shared, env: { PUBLIC_URL: shared.url } });
  const { from, to, reallocation } = rest;
  const pair = [await newLabel(customer, '1.00'), await newLabel(customer, '0')] as const;
  for (let n = 0; n < 10; n++) {
    const send = (service: typeof other, one: string, two: string) =>
      service.call('POST', '/label-reallocations', {
        body: { ...reallocation(one, two, '0.01'), externalId: `both-${n}` },
        token: client.token,
      });
    const answers = await Promise.all([send(shared, from, to), send(other, ...pair)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409], answers.map(({ text }) => text).join());
  }
});
