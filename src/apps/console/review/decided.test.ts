// The decided documents, the page of an owner, and what a first reviewer sees after a disagreement.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { dayOfZone } from '../../../core/zone.ts';
import { writeResult } from '../../../resources/documents/checking/result.ts';
import { findDocument } from '../../../resources/documents/document.ts';

const shared = await openUploads({ after }, { env: { MODE: 'production' } });
const double = await openUploads({ after }, { env: { MODE: 'production', REVIEW_FOUR_EYES: 'true' } });

const DECIDED = '/console/review/decided';
const pageOf = (document: string) => `/console/review/${idOf(document)}`;

test('decided documents are found by name, reviewer, result and day', async () => {
  const [one, other] = [await openSession(shared, 'reviewer'), await openSession(shared, 'reviewer')];
  const [first, second] = [
    await shared.submitted(await shared.newOwner({ lastName: 'Adalbertson' })),
    await shared.submitted(await shared.newOwner({ lastName: 'Brandywine' })),
  ];
  await one.submit(`${pageOf(first)}/decide`, { decision: 'accepted', seen: 'pending' });
  await one.submit(`${pageOf(second)}/release`);
  await other.submit(`${pageOf(second)}/decide`, { decision: 'rejected', seen: 'pending', reason: 'ScanIdExpired' });
  const found = async (query: string) =>
    [
      ...(await one.load(`${DECIDED}?${query}`)).text.matchAll(/<th scope="row"><a href="\/console\/review\/([0-9a-f-]{36})"/g),
    ].map(([, id]) => id);
  const [a, b] = [idOf(first), idOf(second)];
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  for (const [query, ids] of [
    ['', [b, a]],
    ['name=adalbert', [a]],
    ['name=%25', []],
    [`reviewer=${encodeURIComponent(other.operator.name.toUpperCase())}`, [b]],
    ['result=accepted', [a]],
    ['result=rejected&name=Brandy', [b]],
    [`from=${tomorrow}`, []],
    ['from=2020-01-01&until=2020-01-02', []],
    ['from=2020-01-01', [b, a]],
  ] as const)
    assert.deepEqual(await found(query), ids, query);
  const { text } = await one.load(DECIDED);
  assert.ok(text.includes(other.operator.name) && text.includes('ID is expired'));
  const saved = (await one.load(`${DECIDED}.csv?result=rejected&from=2020-01-01`)).text.trimEnd().split('\r\n').slice(1);
  assert.equal(saved.length, 1);
  assert.deepEqual(saved[0]!.split(',').slice(1, 5), [b, 'passport', 'rejected', 'ScanIdExpired']);
  assert.ok(saved[0]!.includes(`,${other.operator.name},`) && saved[0]!.includes(',Brandywine,'), saved[0]);
  const waiting = await shared.submitted(await shared.newOwner({ lastName: '=Calloway' }));
  const taken = await shared.submitted(await shared.newOwner({ lastName: 'Dunmore' }));
  await other.load(pageOf(taken));
  const queued = (await one.load('/console/review.csv')).text.trimEnd().split('\r\n');
  assert.equal(queued[0], 'received,document,type,review,takenBy,firstName,lastName,customer,businessName');
  const lineOf = (document: string) => queued.find((line) => line.includes(idOf(document)))!;
  assert.match(lineOf(waiting), /,passport,first,,[^,]*,'=Calloway,/);
  assert.ok(lineOf(taken).includes(`,first,${other.operator.name},`), 'with who has taken it');
  assert.ok(!queued.join().includes(a) && !queued.join().includes(b), 'decided documents are not there');
  const finance = await openSession(shared, 'finance');
  for (const path of ['/console/review.csv', DECIDED, `${DECIDED}.csv`]) assert.equal((await finance.load(path)).status, 403);
});

test('an owner has a page with the documents and the reasons of their rejection, without personal data for a viewer', async () => {
  const { load, submit } = await openSession(shared, 'reviewer');
  const owner = await shared.newOwner({ lastName: 'Cardamom' });
  const document = await shared.submitted(owner);
  await submit(`${pageOf(document)}/decide`, { decision: 'rejected', seen: 'pending', reason: 'ScanNotReadable' });
  const path = `/console/customers/owners/${idOf(owner)}`;
  const { text } = await load(path);
  assert.ok(text.includes('Image blurry') && text.includes(`href="${pageOf(document)}"`) && text.includes('<dt>Address</dt>'));
  const [decided] = /\/console\/review\/decided\?[^"]+/.exec(text)!;
  assert.ok((await load(decided.replaceAll('&amp;', '&'))).text.includes(pageOf(document)), 'its card leads to the decisions');
  const since = new Date('2026-03-02T05:00:00Z');
  await shared.sql`update document set created = ${since} where id = ${idOf(document)}`;
  for (const zone of ['Pacific/Pago_Pago', 'Pacific/Kiritimati']) {
    await submit('/console/account/time-zone', { zone });
    assert.ok((await load(path)).text.includes(`from=${dayOfZone(zone)(since)}`), zone);
  }
  const viewer = await openSession(shared, 'viewer');
  const seen = (await viewer.load(path)).text;
  assert.ok(!seen.includes('<dt>Address</dt>') && !seen.includes(pageOf(document)) && seen.includes('Cardamom'));
  assert.ok((await load(pageOf(document))).text.includes(`href="${path}"`));
});

test('the page of a document says that its owner was removed, and that its customer is suspended', async () => {
  const { load } = await openSession(shared, 'reviewer');
  const customer = await shared.newCustomer();
  const owner = await shared.newOwner({}, { customer });
  const document = await shared.submitted(owner);
  const shown = async () => {
    const { text } = await load(pageOf(document));
    return ['This customer is suspended.', 'This owner was removed.', '/console/customers/owners/'].map((part) =>
      text.includes(part),
    );
  };
  assert.deepEqual(await shown(), [false, false, true]);
  assert.equal((await shared.call('POST', customer, { body: { status: 'suspended' } })).status, 200);
  assert.deepEqual(await shown(), [true, false, true]);
  assert.equal((await shared.call('POST', customer, { body: { status: 'reactivated' } })).status, 200);
  assert.equal((await shared.call('DELETE', owner)).status, 200);
  assert.deepEqual(await shown(), [false, true, false]);
});

test('the reasons that a checker found are ticked, and its places of fields are shown, those of hidden values after a click', async () => {
  const { load, cookie } = await openSession(shared, 'reviewer');
  const document = await shared.submitted(await shared.newOwner());
  const stored = (await findDocument(shared.sql, idOf(document)))!;
  const place = { start: [0.8, 0.9], end: [0.8, 0.1], characters: 9 };
  const reading = {
    ...{ kind: 'td3', verified: true, letters: { surname: [], givenNames: [] }, checks: [], lines: [], confidence: {} },
    fields: { documentNumber: 'X1', surname: 'EXAMPLE', givenNames: '', dateOfBirth: '1980-01-02', issuer: 'NLD' },
    ...{ places: { surname: place, documentNumber: place }, quality: {}, fingerprint: '0' },
  };
  const findings = [
    { field: 'surname', result: 'same', text: 'The surname is the same.' },
    { field: 'documentNumber', result: 'unclear', text: 'There is none on record.' },
  ];
  const result = { proposal: 'rejected', reasons: ['ScanIdExpired'], findings, reading, likenesses: [] };
  await shared.service.database.transaction((tx) =>
    writeResult(tx, shared.service.sealer, stored, { name: 'reader', version: '2', result: result as never }, new Date()),
  );
  const { text } = await load(pageOf(document));
  const ticked = [...text.matchAll(/<input[^>]*name="reason"[^>]*>/g)].filter(([input]) => input.includes('checked'));
  assert.deepEqual([ticked.length, ticked[0]![0].includes('value="ScanIdExpired"')], [1, true]);
  assert.equal([...text.matchAll(/data-crop="0\.8 0\.9 0\.8 0\.1 9"/g)].length, 1);
  assert.match(text, /data-viewer[^>]*data-turn="1"/, 'text that runs upwards is turned upright');
  // Not by `submit`, which checks that no answer contains a sealed value.
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const revealed = await fetch(`${shared.url}${pageOf(document)}/reveal`, { method: 'POST', headers });
  assert.equal([...(await revealed.text()).matchAll(/data-crop=/g)].length, 2);
});

test('after a disagreement the first reviewer sees what the other one decided and why, and can review again', async () => {
  const [one, other] = [await openSession(double, 'reviewer'), await openSession(double, 'reviewer')];
  const document = await double.submitted(await double.newOwner());
  await one.submit(`${pageOf(document)}/decide`, { decision: 'accepted', seen: 'pending' });
  const form = { decision: 'rejected', seen: 'pending', reason: 'ScanFailedOther', note: 'The photograph is glued on.' };
  await other.submit(`${pageOf(document)}/decide`, form);
  const { text } = await one.load(pageOf(document));
  assert.ok(text.includes(`${other.operator.name} disagreed with you`) && text.includes('The photograph is glued on.'));
  assert.ok(text.includes('ID may be fraudulent') && !text.includes('data-decision'));
  assert.match((await one.load(`${pageOf(document)}?again=yes`)).text, /data-decision/);
  const second = await other.load(pageOf(document));
  assert.ok(!second.text.includes('disagreed with you'));
});

test('both reviewers who agree have decided, and are found by their names', async () => {
  const [one, other] = [await openSession(double, 'reviewer'), await openSession(double, 'reviewer')];
  const document = await double.submitted(await double.newOwner());
  for (const { submit } of [one, other]) await submit(`${pageOf(document)}/decide`, { decision: 'accepted', seen: 'pending' });
  assert.ok(!(await one.load(pageOf(document))).text.includes('not confirmed'));
  for (const { operator, load } of [one, other]) {
    const { text } = await load(`${DECIDED}?${new URLSearchParams({ reviewer: operator.name })}`);
    assert.ok(text.includes(pageOf(document)), operator.name);
  }
});
