// Tests of certifying ownership, also at the same time as changes of owners.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { ownerForm as form } from '../../../test/support/data.ts';
import { type Answer, assertRefused, type Body, idOf } from '../../../test/support/http.ts';
import { type Call, historyOf, legalOrder, record } from '../../../test/support/legal-history.ts';
import { untilWaiting } from '../../../test/support/locks.ts';
import { incomplete, openBusiness } from '../../../test/support/owners.ts';
import { startService } from '../../../test/support/service.ts';
import { certify } from './certification.ts';
import { removeOwner } from './change.ts';
import { createOwner } from './create.ts';

// Shared by all tests of the file; each creates its own customer.
const sandbox = await startService({ after });

test('certifies ownership, and requires recertification after any change of owners', async () => {
  const { create, change, call, get, certify, ownership, customer } = await openBusiness(sandbox);
  const place = `${customer}/beneficial-ownership`;
  const start = await get(place);
  const { type } = start._links.self;
  const self = { href: place, type, 'resource-type': 'beneficial-ownership' };
  assert.deepEqual(start, {
    _links: {
      self,
      customer: { href: customer, type, 'resource-type': 'customer' },
      'beneficial-owners': { href: `${customer}/beneficial-owners`, type, 'resource-type': 'beneficial-owner' },
      certify: self,
    },
    status: 'uncertified',
  });
  const first = await create(incomplete);
  assert.equal(await ownership(), 'uncertified', 'a change of owners leaves uncertified ownership uncertified');

  const { certify: gone, ...kept } = start._links;
  const done = await certify();
  assert.deepEqual([done.status, done.body], [200, { _links: kept, status: 'certified' }]);
  assert.deepEqual(await get(place), done.body);
  assert.equal((await certify()).status, 200, 'again');

  const changes: [what: string, act: () => Promise<unknown>][] = [
    ['create', () => create(form)],
    ['update, still incomplete', () => change(first, { lastName: 'Renamed' })],
    ['update', () => change(first, { firstName: 'Olive' })],
    ['remove', () => call('DELETE', first)],
  ];
  for (const [what, act] of changes) {
    await act();
    const asked = await get(place);
    assert.deepEqual([asked.status, asked._links.certify], ['recertify', self], what);
    await create(form).then((url) => call('DELETE', url));
    assert.equal(await ownership(), 'recertify');
    assert.equal((await certify()).body.status, 'certified');
    assert.equal(await ownership(), 'certified');
  }
});

test('ownership stays certified when no owner changes', async () => {
  const { add, create, change, call, certify, ownership, customer, newCustomer, nowhere } = await openBusiness(sandbox);
  const owner = await create(form);
  await certify();
  await add({ ...form, ssn: 'x' });
  await change(owner, { lastName: 'Late' });
  await call('DELETE', nowhere('beneficial-owner'));
  await change(customer, { phone: '5551234567' });
  await create(form, await newCustomer());
  await call('GET', owner);
  assert.equal(await ownership(), 'certified');
  const none = await newCustomer();
  assert.equal((await certify(none)).body.status, 'certified', 'a business without owners can be certified');
});

test('accepts only `certified` as the ownership status', async () => {
  const { call, customer, written } = await openBusiness(sandbox);
  const path = `${customer}/beneficial-ownership`;
  const before = await written();
  for (const status of ['uncertified', 'recertify', 'Certified', '', 7, null, ['certified']]) {
    assertRefused(await call('POST', path, { body: { status } }), {
      status: 400,
      code: 'ValidationError',
      message: 'Status must be one of certified.',
      fault: 'Invalid',
      path: '/status',
    });
  }
  assertRefused(await call('POST', path, { body: { state: 'certified' } }), {
    status: 400,
    code: 'ValidationError',
    message: 'Status is required.',
    fault: 'Required',
    path: '/status',
  });
  assert.deepEqual(await written(), before);
});

test('serialises certifications and changes of owners', async () => {
  const opened = await openBusiness(sandbox);
  const { service, client, customer, create, add, certify: post, call, ownership, sql } = opened;
  const caller = { accountId: client.account_id };
  const { database, sealer } = service;
  const context = { mode: 'sandbox', sealer } as const;
  await post();

  // A change that waits for a certification revokes it.
  await create(form);
  const late = await database.transaction(async (tx) => {
    await certify(tx, caller, idOf(customer), new Date());
    const waiting = add(form);
    await untilWaiting(sql, 1);
    return { waiting };
  });
  assert.equal((await late.waiting).status, 201);
  assert.equal(await ownership(), 'recertify');

  // A certification that waits for a change covers the change.
  const covered = await database.transaction(async (tx) => {
    await createOwner(tx, context, caller, idOf(customer), form, new Date());
    const waiting = post();
    await untilWaiting(sql, 1);
    return { waiting };
  });
  assert.equal((await covered.waiting).status, 200);
  assert.equal(await ownership(), 'certified');

  // The second of two removals finds no owner; both also wait for the lock of the customer's row.
  const owner = await call('GET', `${customer}/beneficial-owners`).then(({ body }) => body._embedded['beneficial-owners'][0]);
  const lost = await database.transaction(async (tx) => {
    await removeOwner(tx, caller, owner.id, new Date());
    const waiting = [call('DELETE', owner._links.self.href), call('POST', customer, { body: { status: 'suspended' } })];
    await untilWaiting(sql, 2);
    return { waiting: Promise.all(waiting) };
  });
  const [removal, suspension] = await lost.waiting;
  assert.deepEqual([removal?.status, suspension?.status], [404, 200]);
  const [row] = await sql<{ left: number }>`
    select count(*)::int as left from beneficial_owner where customer_id = ${idOf(customer)} and removed is null`;
  assert.equal(row?.left, 2);
});

type State = { owners: Map<string, string>; ownership: string };
const OWNERS_MAX = 4;
const ROUNDS = 6;
const AT_ONCE = 6;

test('the answers to concurrent changes are those of one order', async () => {
  const { call, customer, get } = await openBusiness(sandbox);
  const calls: Call<State>[] = [];
  const revoked = (ownership: string) => (ownership === 'certified' ? 'recertify' : ownership);
  /** Sends a call again while it gets 503, which took effect completely or not at all. */
  const settled = async (send: () => Promise<Answer>): Promise<Answer & { isRepeated: boolean }> => {
    for (let isRepeated = false; ; isRepeated = true) {
      const answer = await send();
      if (answer.status !== 503) return { ...answer, isRepeated };
    }
  };
  const post = (url: string, body: Body) => {
    const key = randomUUID();
    return settled(() => call('POST', url, { body, key }));
  };
  const show = (path: string) => settled(() => call('GET', `${customer}/${path}`));
  /** What a call does to owner `url`, if there is one, with `left` of it. */
  const touch =
    (url: string, { status }: { status: number }, left: (owners: [string, string][]) => [string, string][]) =>
    (state: State) => {
      if (state.owners.has(url) !== (status === 200)) return undefined;
      if (status !== 200) return state;
      return { owners: new Map(left([...state.owners])), ownership: revoked(state.ownership) };
    };
  const create = () =>
    record(
      calls,
      'create',
      () => post(`${customer}/beneficial-owners`, incomplete),
      (answer) =>
        ({ owners, ownership }) => {
          if (owners.size < OWNERS_MAX !== (answer.status === 201)) return undefined;
          if (answer.status !== 201) return answer.body.code === 'MaxNumberOfResources' ? { owners, ownership } : undefined;
          return { owners: new Map([...owners, [answer.headers.location!, incomplete.lastName]]), ownership: revoked(ownership) };
        },
    );
  const certifyNow = () =>
    record(
      calls,
      'certify',
      () => post(`${customer}/beneficial-ownership`, { status: 'certified' }),
      ({ status }) =>
        (state) =>
          status === 200 ? { ...state, ownership: 'certified' } : undefined,
    );
  const rename = (url: string, lastName: string) =>
    record(
      calls,
      'rename',
      () => post(url, { lastName }),
      (answer) => touch(url, answer, (owners) => owners.map(([one, name]) => [one, one === url ? lastName : name])),
    );
  const remove = (url: string) =>
    record(
      calls,
      'remove',
      () => settled(() => call('DELETE', url)),
      ({ status, isRepeated }) =>
        (state) => {
          // It has no key: a repetition finds no owner where the first call removed it.
          const isDone = status === 200 || (status === 404 && isRepeated && state.owners.has(url));
          return touch(url, { status: isDone ? 200 : status }, (owners) => owners.filter(([one]) => one !== url))(state);
        },
    );
  const read = () =>
    record(
      calls,
      'read',
      () => show('beneficial-ownership'),
      ({ body }) =>
        (state) =>
          body.status === state.ownership ? state : undefined,
    );
  const list = () =>
    record(
      calls,
      'list',
      () => show('beneficial-owners'),
      ({ body }) =>
        (state) => {
          const shown = body._embedded['beneficial-owners'].map(
            ({ _links, lastName }: Body) => `${_links.self.href} ${lastName}`,
          );
          const held = Array.from(state.owners, ([url, name]) => `${url} ${name}`);
          return shown.sort().join() === held.sort().join() ? state : undefined;
        },
    );
  const changes = async (name: string) => {
    const url = (await create()).headers.location;
    await read();
    if (url !== undefined) await Promise.all([rename(url, `New ${name}`), remove(url)]);
    await Promise.all([read(), list(), post(customer, { city: `Salem ${name}` })]);
  };
  const rounds = async (_: unknown, part: number) => {
    for (let index = 0; index < ROUNDS; index += 1) await (part === 0 ? certifyNow().then(read) : changes(`${part}.${index}`));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, rounds));
  await list();
  await read();
  const start: State = { owners: new Map(), ownership: 'uncertified' };
  const order = legalOrder(calls, start, ({ owners, ownership }) => `${ownership} ${[...owners].sort()}`);
  assert.equal(order?.length, calls.length, `no order explains\n${historyOf(calls)}`);
  assert.equal((await get(`${customer}/beneficial-owners`)).total, 0);
});
