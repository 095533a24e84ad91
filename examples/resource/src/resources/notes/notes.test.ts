// Tests of notes over HTTP: creation under a key, lists, access, events and the reset.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

test('creates, retrieves and lists notes, and reports each', async (t) => {
  const { call, newCustomer } = await startService(t);
  const customer = await newCustomer();
  const create = (text: string) => call('POST', `${customer}/notes`, { body: { text }, key: text });
  const made = await create('first');
  assert.equal(made.status, 201, made.text);
  assert.equal((await create('first')).headers.location, made.headers.location, 'a key creates one note');
  await create('second');
  assertRefused(await create(''), { status: 400, code: 'ValidationError', path: '/text' });

  const note = (await call('GET', made.headers.location!)).body;
  assert.equal(note.text, 'first');
  assert.equal(note._links.customer.href, customer);
  const list = (await call('GET', `${customer}/notes?limit=1`)).body;
  assert.deepEqual([list.total, list._embedded.notes[0].text], [2, 'second']);
  assert.deepEqual((await call('GET', list._links.next.href)).body._embedded.notes, [note]);
  const events = (await call('GET', '/events?topic=customer_note_created&order=oldest')).body;
  assert.deepEqual([events.total, events._embedded.events[0]._links.resource], [2, note._links.self]);
});

test('notes belong to an account, and its reset deletes them', async (t) => {
  const { call, newCustomer, newClient, nowhere, sql } = await startService(t);
  const customer = await newCustomer();
  const note = (await call('POST', `${customer}/notes`, { body: { text: 'mine' } })).headers.location!;
  const stranger = (await newClient()).token;
  for (const path of [note, `${customer}/notes`])
    assertRefused(await call('GET', path, { token: stranger }), { status: 403, code: 'Forbidden' });
  assertRefused(await call('GET', nowhere('note')), { status: 404, code: 'NotFound' });
  assert.equal((await call('POST', '/sandbox/reset')).status, 200);
  assert.deepEqual(await sql`select from note`, []);
});
