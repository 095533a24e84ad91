// The audit log: who looked at a passport, found by id, text, day and kind of action, and saved as CSV.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';
import { jobs } from '../../jobs/jobs.ts';

const shared = await openUploads({ after }, { env: { MODE: 'production' } });
const LOG = '/console/audit-log';

/** The rows of the list, as texts. */
const rowsOf = (text: string) =>
  [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row]) => row!.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '));

test('who saw a passport is two clicks from it, and the same is asked of a customer and an owner', async () => {
  const [admin, one, other] = [
    await openSession(shared, 'admin'),
    await openSession(shared, 'reviewer'),
    await openSession(shared, 'reviewer'),
  ];
  const owner = await shared.newOwner({ lastName: 'Fennel' });
  const [document, unseen] = [await shared.submitted(owner), await shared.submitted(await shared.newOwner())];
  const path = `/console/review/${idOf(document)}`;
  assert.equal((await one.load(`${path}/picture`)).status, 200);
  await one.submit(`${path}/release`);
  const headers = { cookie: other.cookie, 'sec-fetch-site': 'same-origin' };
  await fetch(`${shared.url}${path}/reveal`, { method: 'POST', headers });
  const { text } = await admin.load(path);
  const href = /href="([^"]+)">Who looked at this document/.exec(text)![1]!.replaceAll('&amp;', '&');
  assert.ok(!(await other.load(path)).text.includes('Who looked at'), 'only who may read the log');
  const rows = rowsOf((await admin.load(href)).text);
  for (const [person, action] of [
    [one, 'looked at a document'],
    [other, 'looked at the birth date and number of a person'],
  ] as const)
    assert.ok(
      rows.some((row) => row.includes(person.operator.name) && row.includes(action)),
      rows.join('\n'),
    );
  assert.ok(
    rows.every((row) => row.includes('looked at') && row.includes('Passport of document Fennel')),
    rows.join('\n'),
  );
  assert.equal(rowsOf((await admin.load(`${LOG}?about=${idOf(unseen)}&action=look`)).text).length, 0);

  const ownerPage = (await admin.load(`/console/customers/owners/${idOf(owner)}`)).text;
  const ofOwner = (await admin.load(`${LOG}?about=${idOf(owner)}`)).text;
  assert.ok(ownerPage.includes(`href="${LOG}?about=${idOf(owner)}"`) && ofOwner.includes('Fennel'));
  assert.ok(rowsOf(ofOwner).some((row) => row.includes(one.operator.name)));
  const customer = (await shared.get(owner))._links.customer.href;
  const ofCustomer = rowsOf((await admin.load(`${LOG}?about=${idOf(customer)}&action=look`)).text);
  assert.ok(ofCustomer.some((row) => row.includes(other.operator.name)));
});

test('entries are found by text and day, and saved as CSV, which is an entry itself', async () => {
  const admin = await openSession(shared, 'admin');
  const { operator, submit } = await openSession(shared, 'operator');
  const job = jobs[0]!.name;
  await submit('/console/operations/jobs', { name: job });
  const today = new Date().toISOString().slice(0, 10);
  const find = async (query: Record<string, string>) => (await admin.load(`${LOG}?${new URLSearchParams(query)}`)).text;
  const own = (text: string) => rowsOf(text).filter((row) => row.includes(operator.name));
  assert.equal(own(await find({ text: `JOB": "${job}`.toUpperCase(), person: operator.id })).length, 1);
  assert.equal(own(await find({ text: operator.name.toUpperCase(), action: 'run_job' })).length, 1);
  assert.ok(own(await find({ from: today, until: today })).length > 0);
  assert.equal(own(await find({ until: '2020-01-01' })).length, 0);
  assert.equal(own(await find({ from: '2999-01-01' })).length, 0);
  for (const [query, fault] of [
    [{ from: 'x' }, /A day is written/],
    [{ from: '2026-02-02', until: '2026-02-01' }, /after the last one/],
    [{ about: 'Fennel' }, /takes the id/],
  ] as const)
    assert.match(await find(query), fault);
  const { text, headers } = await admin.load(`${LOG}.csv?${new URLSearchParams({ person: operator.id, action: 'run_job' })}`);
  assert.match(headers['content-type']!, /^text\/csv/);
  const [head, ...lines] = text.trim().split('\r\n');
  assert.equal(head, 'created,entry,person,personId,action,resourceType,resourceId,detail,from');
  assert.deepEqual([lines.length, lines[0]!.includes(`${operator.id},run_job`)], [1, true]);
  const [saved] = await listAudit(shared.sql, { operatorId: admin.operator.id, action: 'download_list' }, 1);
  assert.deepEqual(saved!.detail, { list: 'audit log' });
  assert.equal((await (await openSession(shared, 'operator')).load(`${LOG}.csv`)).status, 403);
});
