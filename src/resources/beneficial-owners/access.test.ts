// Tests of access to beneficial owners: other accounts, scopes and sealed data.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { address, CHILD, customerForm, type Fields, ownerForm as form } from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { assertRefused, idOf } from '../../../test/support/http.ts';
import { incomplete, notFound, openBusiness } from '../../../test/support/owners.ts';
import { startService } from '../../../test/support/service.ts';

const forbidden = {
  status: 403,
  code: 'Forbidden',
  message: 'The supplied credentials are not authorized for this resource.',
};

// Shared by all tests of the file; each creates its own customer.
const sandbox = await startService({ after });

test('answers 403 for owners of another account and 404 for missing ones', async () => {
  const { create, call, newClient, nowhere, customer, written } = await openBusiness(sandbox);
  const owner = await create(incomplete);
  const { token } = await newClient();
  const before = await written();
  const routes: [method: string, url: string, kind: string, place: string, body?: Fields][] = [
    ['GET', customer, 'customer', '/beneficial-owners'],
    ['POST', customer, 'customer', '/beneficial-owners', form],
    ['GET', customer, 'customer', '/beneficial-ownership'],
    ['POST', customer, 'customer', '/beneficial-ownership', { status: 'certified' }],
    ['GET', owner, 'beneficial-owner', ''],
    ['POST', owner, 'beneficial-owner', '', { lastName: 'Theirs' }],
    ['DELETE', owner, 'beneficial-owner', ''],
  ];
  for (const [method, url, kind, place, body] of routes) {
    const options = body ? { body } : {};
    assertRefused(await call(method, `${url}${place}`, { ...options, token }), forbidden);
    for (const missing of [nowhere(kind), `/${kind}s/1`, url.replace(/.$/, url.endsWith('0') ? '8' : '0')]) {
      assertRefused(await call(method, `${missing}${place}`, options), notFound);
    }
  }
  assertRefused(await call('GET', `/beneficial-owners/${idOf(customer)}`), notFound);
  assert.deepEqual(await written(), before);
});

test('each operation requires its scope', async () => {
  const { create, call, client, newClient, customer } = await openBusiness(sandbox);
  const owner = await create(incomplete);
  const reader = await newClient(['read'], client.account_id);
  const writer = await newClient(['write'], client.account_id);
  for (const path of [`${customer}/beneficial-owners`, owner, `${customer}/beneficial-ownership`]) {
    assert.equal((await call('GET', path, { token: reader.token })).status, 200);
    assertRefused(await call('GET', path, { token: writer.token }), forbidden);
  }
  const writes: [method: string, path: string, body?: Fields][] = [
    ['POST', `${customer}/beneficial-owners`, form],
    ['POST', owner, { lastName: 'New' }],
    ['POST', `${customer}/beneficial-ownership`, { status: 'certified' }],
    ['DELETE', owner],
  ];
  for (const [method, path, body] of writes) {
    const options = body ? { body } : {};
    assertRefused(await call(method, path, { ...options, token: reader.token }), forbidden);
    assert.ok((await call(method, path, { ...options, token: writer.token })).status < 300, `${method} ${path}`);
    assert.equal((await call(method, path, { ...options, token: '' })).status, 401);
  }
});

test('seals sensitive data, and neither returns nor logs it', async () => {
  const { call, create, change, get, sql, logs, service, customer } = await openBusiness(sandbox);
  const secrets = ['1969-08-07', '765-43-2109', 'PX99887766', '1968-07-06', '123-98-7654', 'PY55443322'];
  const [born, ssn, number, bornToo, ssnToo, numberToo] = secrets;
  const url = await create({ ...incomplete, dateOfBirth: born, ssn, passport: { number, country: 'DE', note: 1 } });
  const sealed = async (of = url) => {
    const [row] = await sql<{ sealed: Buffer }>`select sealed from beneficial_owner where id = ${idOf(of)}`;
    return row!.sealed;
  };
  const opened = async () => JSON.parse(service.sealer.open(await sealed(), `beneficial-owner:${idOf(url)}`).toString());
  const kept = [await sealed()];
  assert.deepEqual(await opened(), { dateOfBirth: born, ssn, passport: { number, country: 'DE' } });

  const outputs: string[] = [];
  const steps: [body: Fields, left: Fields][] = [
    [{ dateOfBirth: bornToo }, { dateOfBirth: bornToo, ssn, passport: { number, country: 'DE' } }],
    [{ ssn: ssnToo }, { dateOfBirth: bornToo, ssn: ssnToo }],
    [
      { passport: { number: numberToo, country: 'DE', note: 1 } },
      { dateOfBirth: bornToo, passport: { number: numberToo, country: 'DE' } },
    ],
    [{ address }, { dateOfBirth: bornToo, passport: { number: numberToo, country: 'DE' } }],
  ];
  for (const [body, left] of steps) {
    outputs.push((await call('POST', url, { body, key: JSON.stringify(left).length.toString() + Object.keys(body) })).text);
    assert.deepEqual(await opened(), left, JSON.stringify(body));
    kept.push(await sealed());
  }
  assert.equal(new Set(kept.map((bytes) => bytes.toString('hex'))).size, kept.length, 'each value is sealed with a fresh key');

  outputs.push(JSON.stringify(await get(url)), JSON.stringify(await get(`${customer}/beneficial-owners`)));
  outputs.push(
    (await change(url, { ssn: `${ssn}0`, dateOfBirth: `${born}0`, passport: { number: `${number} `, country: 'x' } })).text,
  );
  outputs.push((await change(url, { dateOfBirth: CHILD, ssn })).text);
  outputs.push((await call('DELETE', url)).text, ...logs);
  const stored = await sql<{ row: string }>`
    select o::text as row from beneficial_owner o union all select event::text from ${await allEvents(sql)} union all select k::text from idempotency_key k`;
  const everything = [...outputs, ...stored.map(({ row }) => row), ...kept.map((bytes) => bytes.toString('latin1'))].join('\n');
  assert.ok(everything.includes('Springfield') && outputs.length > 10, 'there is data to search');
  for (const secret of secrets) assert.ok(!everything.includes(secret), secret);

  const other = await create(form);
  assert.throws(() => service.sealer.open(kept[0]!, `beneficial-owner:${idOf(other)}`), /belongs to another record/);
  const { ssn: holderSsn } = customerForm();
  assert.ok(!everything.includes(holderSsn));
});
