// Holds, schedules, monitors and allocation rules that people make and end: by the rules of the API, once per form, with what was typed
// kept after a refusal, and in the audit log.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openHolds } from '../../../../test/support/holds.ts';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { openAccount, startService } from '../../../../test/support/service.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after });
const finance = await openSession(shared, 'finance');
const { load, submit, operator } = finance;

/** A customer with 300.00 USD available, labels `taxes` of 100.00 USD and `rent` of 0, and `euros`. */
async function openCustomer() {
  const account = await openAccount(shared);
  const customer = await account.newCustomer({ available: '400.00' });
  const label = async (name: string, value: string, currency = 'USD') =>
    idOf(await account.create(`${customer}/labels`, { name, amount: { value, currency } }));
  const [taxes, rent, euros] = [await label('Taxes', '100.00'), await label('Rent', '0'), await label('Euros', '0', 'EUR')];
  const path = `/console/customers/${idOf(customer)}`;
  /** What the API lists of the customer. */
  const listed = async (name: string, url = `${customer}/${name}`): Promise<Body[]> => (await account.get(url))._embedded[name];
  return { ...account, customer, taxes, rent, euros, path, listed };
}

async function keyOn(path: string): Promise<string> {
  const { text, status } = await load(path);
  assert.equal(status, 200, path);
  return /name="key" value="([^"]+)"/.exec(text)![1]!;
}

/** Sends a form twice, as an impatient person does. Both lead to the same page. */
async function sendTwice(path: string, fields: Record<string, string> = {}): Promise<string> {
  const form = { ...fields, key: await keyOn(path) };
  const action = path.split('?')[0]!;
  const [first, second] = [await submit(action, form), await submit(action, form)];
  assert.equal(first.status, 303, first.text.replace(/<[^>]+>/g, ' ').slice(-1500));
  assert.equal(first.headers.location, second.headers.location);
  const shown = await load(first.headers.location!.split('#')[0]!);
  assert.equal(shown.status, 200);
  return shown.text;
}

/** Sends a form that is refused, and returns its page, which has what was typed. */
async function sendWrong(path: string, fields: Record<string, string>): Promise<string> {
  const { status, text } = await submit(path, { ...fields, key: await keyOn(path) });
  assert.ok([400, 403, 409].includes(status), `${status} ${text.slice(0, 500)}`);
  for (const typed of Object.values(fields)) assert.ok(text.includes(`value="${typed}"`), `${typed} is kept`);
  return text;
}

/** What the audit log has about a record. */
async function auditOf(id: string): Promise<string[]> {
  return (await listAudit(shared.sql, { resourceId: id, operatorId: operator.id }, 20)).map(({ action }) => action);
}

test('a hold is made with what is available, captured in parts with a confirmation, and released', async () => {
  const { path, taxes, rent, listed, customer, get } = await openCustomer();
  const form = `${path}/holds/new`;
  const offered = (await load(form)).text;
  assert.ok(offered.includes('Available (300.00 USD available)') && offered.includes('Taxes (100.00 USD available)'), offered);
  const shown = await sendTwice(form, { of: taxes, amount: '60.00', reference: 'deposit of a car', externalId: 'car-7' });
  assert.ok(shown.includes('The money is held.') && shown.includes('deposit of a car') && shown.includes('60.00 USD'));
  const [hold, ...others] = await listed('holds');
  assert.deepEqual([others.length, hold.status, hold.remaining.value, hold.externalId], [0, 'pending', '60.00', 'car-7']);
  assert.ok((await load(form)).text.includes('Taxes (40.00 USD available, 60.00 held)'));

  const capture = `${path}/holds/${hold.id}/capture`;
  const asked = new URLSearchParams({ to: rent, amount: '25.00', rest: 'keep', reference: 'first day' });
  const confirmed = (await load(`${capture}?${asked}`)).text;
  for (const text of ['<b>75.00</b>', '<b>25.00</b>', '35.00 USD of the hold stays held'])
    assert.ok(confirmed.includes(text), text);
  assert.equal((await get(`/holds/${hold.id}`)).captured.value, '0.00', 'a confirmation does nothing');
  await sendTwice(`${capture}?${asked}`, Object.fromEntries(asked));
  assert.deepEqual((await get(`/holds/${hold.id}`)).remaining.value, '35.00');
  assert.equal((await get(`/labels/${rent}`)).amount.value, '25.00');
  const tooMuch = (await load(`${capture}?${new URLSearchParams({ to: rent, amount: '35.01', rest: 'keep' })}`)).text;
  assert.ok(tooMuch.includes('Only 35.00 USD is held.') && tooMuch.includes('value="35.01"'));

  const released = await sendTwice(`${path}/holds/${hold.id}/release`);
  assert.ok(released.includes('The hold is released.') && !released.includes('deposit of a car'));
  assert.equal((await get(`/holds/${hold.id}`)).status, 'released');
  assert.equal((await load(capture)).status, 404, 'nothing is left to capture');
  const again = await submit(`${path}/holds/${hold.id}/release`, { key: await keyOn(`${path}/holds/${hold.id}/release`) });
  assert.match(again.text, /The hold is captured, released or expired\./);
  assert.deepEqual(new Set(await auditOf(hold.id)), new Set(['release_hold', 'capture_hold', 'create_hold']));
  assert.ok((await auditOf(idOf(customer))).every((action) => action === 'ask_for_plan'));
  const log = JSON.stringify(await listAudit(shared.sql, { operatorId: operator.id }, 20));
  assert.doesNotMatch(log, /deposit of a car|car-7|first day/, 'these texts can be erased');
});

test('what an old form made is not made again, when its key has expired by the clock of the account', async () => {
  const { path, customer, taxes, rent, listed, call } = await openCustomer();
  const form = `${path}/holds/new`;
  const held = { of: taxes, amount: '30.00', key: await keyOn(form) };
  assert.equal((await submit(form, held)).status, 303);
  const capture = `${path}/holds/${(await listed('holds'))[0]!.id}/capture`;
  const captured = { to: rent, amount: '10.00', rest: 'keep', reference: 'first day', key: await keyOn(capture) };
  assert.equal((await submit(capture, captured)).status, 303);
  await call('POST', '/sandbox/clock', { body: { advanceSeconds: 25 * 3600 } });
  for (const late of [await submit(form, held), await submit(capture, captured)]) {
    assert.deepEqual([late.status, /Open the form again\./.test(late.text)], [400, true]);
    assert.ok(!late.text.includes(held.key) && !late.text.includes(captured.key), 'the form is a new one');
  }
  const moved = await shared.sql`
    select 1 from hold where customer_id = ${idOf(customer)} union all select 1 from transfer where to_id = ${rent}`;
  assert.equal(moved.length, 2, 'a hold and its capture');
});

test('a hold that the ledger refuses keeps what was typed, and says why', async () => {
  const { path, taxes, listed } = await openCustomer();
  const form = `${path}/holds/new`;
  const typed = { amount: '100.01', reference: 'too much' };
  assert.match(await sendWrong(form, { ...typed, of: taxes }), /Insufficient funds: 100\.00 USD available/);
  assert.match(await sendWrong(form, { amount: '12,5', of: taxes }), /is ambiguous/);
  assert.match(await sendWrong(form, { amount: '1.00', of: taxes, until: '2020-01-31' }), /Expires must be in the future/);
  assert.match(await sendWrong(form, { amount: '1.00', of: 'available-USD', externalId: 'two words' }), /External id/);
  assert.equal((await listed('holds')).length, 0);
  const other = await openCustomer();
  const foreign = await submit(form, { of: other.taxes, amount: '1.00', key: await keyOn(form) });
  assert.match(foreign.text, /The label does not exist any more\./, 'a label of another customer');
});

test('a schedule is made in the zone of the person, paused, resumed from now on, and ended', async () => {
  const { path, taxes, rent, euros, listed } = await openCustomer();
  const form = `${path}/schedules/new`;
  const start = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16);
  const terms = { from: taxes, to: rent, kind: 'value', amount: '1,000.50', repeats: 'FREQ=MONTHLY;BYMONTHDAY=-1', start };
  const more = { timeZone: 'Europe/Berlin', ifInsufficient: 'partial', catchUp: 'last' };
  const wrong = { ...terms, ...more, amount: '5.00', to: euros };
  assert.match(await sendWrong(form, wrong), /Labels must have the same currency\./);
  assert.match(await sendWrong(form, { ...wrong, to: taxes }), /Labels must be two different labels\./);
  assert.match(await sendWrong(form, { ...wrong, to: rent, timeZone: 'Nowhere/City' }), /Time zone must be an IANA time zone/);
  assert.match(await sendWrong(form, { ...wrong, to: rent, repeats: 'own', rule: 'FREQ=HOURLY' }), /FREQ must be DAILY/);
  assert.match(await sendWrong(form, { ...wrong, to: rent, kind: 'all' }), /has no amount/);
  await sendTwice(form, { ...terms, ...more, reference: 'rent of a month' });
  const [schedule, ...others] = await listed('schedules');
  const { amount, rule, timeZone, ifInsufficient, catchUp, status, reference } = schedule;
  assert.deepEqual([others.length, amount.value, rule], [0, '1000.50', 'FREQ=MONTHLY;BYMONTHDAY=-1']);
  assert.deepEqual(
    [schedule.start, timeZone, ifInsufficient, catchUp, status, reference],
    [`${start}:00`, 'Europe/Berlin', 'partial', 'last', 'active', 'rent of a month'],
  );
  const row = (await load(path)).text;
  for (const text of ['1,000.50 USD', '(Europe/Berlin)', 'rent of a month']) assert.ok(row.includes(text), text);
  const part = `${path}/schedules/${schedule.id}`;
  const question = (await load(`${part}/end`)).text;
  for (const text of ['1,000.50 USD', 'rent of a month', 'move what is available', 'run only the newest'])
    assert.ok(question.includes(text), text);
  const offers = async () => [...(await load(path)).text.matchAll(/\/(pause|resume|end)"/g)].map(([, word]) => word);
  assert.deepEqual(await offers(), ['pause', 'end']);
  assert.match(await sendTwice(`${part}/pause`), /The schedule is paused\./);
  const paused = (await listed('schedules'))[0];
  assert.deepEqual([paused.status, paused.next, await offers()], ['paused', undefined, ['resume', 'end']]);
  assert.match(await sendTwice(`${part}/resume`), /The schedule is resumed\./);
  const resumed = (await listed('schedules'))[0];
  assert.deepEqual([resumed.status, resumed.next, await offers()], ['active', schedule.next, ['pause', 'end']]);
  await sendTwice(`${part}/end`);
  assert.equal((await listed('schedules'))[0].status, 'ended');
  assert.deepEqual(await offers(), []);
  const late = await submit(`${part}/resume`, { key: await keyOn(`${part}/resume`) });
  assert.match(late.text, /The schedule has ended\./);
  await sendTwice(form, { ...terms, ...more, repeats: 'own', rule: 'FREQ=WEEKLY;INTERVAL=3' });
  const [other] = await listed('schedules');
  const asked = (await load(`${path}/schedules/${other.id}/end`)).text;
  assert.match(asked, /<span class="mono small break">FREQ=WEEKLY;INTERVAL=3<\/span> \(Europe\/Berlin\)/, 'a rule without words');
  const written = ['end_schedule', 'resume_schedule', 'pause_schedule', 'create_schedule'];
  assert.deepEqual([...new Set(await auditOf(schedule.id))], written);
});

test('a balance is watched, and its monitor is deleted', async () => {
  const { path, taxes, listed } = await openCustomer();
  const form = `${path}/monitors/new`;
  const wrong = { label: taxes, direction: 'below', threshold: '50.00', rearm: '40.00' };
  assert.match(await sendWrong(form, wrong), /Rearm must be at least the threshold\./);
  const shown = await sendTwice(form, { ...wrong, rearm: '60.00' });
  for (const text of ['below 50.00 USD', 'again after 60.00 USD', 'armed']) assert.ok(shown.includes(text), text);
  const monitors = () => listed('monitors', `/labels/${taxes}/monitors`);
  const [monitor, ...others] = await monitors();
  assert.deepEqual([others.length, monitor.below.value, monitor.rearm.value], [0, '50.00', '60.00']);
  await sendTwice(`${path}/monitors/${monitor.id}/delete`);
  assert.deepEqual(await monitors(), []);
  assert.deepEqual(new Set(await auditOf(monitor.id)), new Set(['delete_monitor', 'create_monitor']));
});

test('an allocation rule names the step that is wrong, applies to deposits, and is deleted', async () => {
  const { path, taxes, rent, euros, listed, create, get, customer } = await openCustomer();
  const form = `${path}/allocation-rules/new`;
  const steps = {
    label1: taxes,
    share1: 'percent',
    value1: '25.00',
    label3: rent,
    share3: 'amount',
    value3: '10.00',
    until3: '15.00',
  };
  const wrong = await sendWrong(form, { name: 'Set aside', ...steps, value1: '125', label3: euros });
  assert.ok(wrong.includes('Step 1: Percent must be above 0') && wrong.includes('Step 3: Labels must have one currency.'), wrong);
  assert.match(await sendWrong(form, { name: 'Set aside', ...steps, value3: '1,5' }), /Step 3: “1,5” is ambiguous/);
  assert.match(await sendWrong(form, { name: 'None' }), /Choose the label of at least one step\./);
  assert.match(await sendWrong(form, { label9: taxes, name: 'Late' }), /Step 9 needs a percentage[\s\S]*<details open/);
  const shown = await sendTwice(form, { name: 'Set aside', ...steps, value1: '25 %' });
  assert.ok(shown.includes('Set aside') && shown.includes('25.00 %') && shown.includes('10.00 USD, until 15.00, to'));
  assert.match(await sendWrong(form, { name: 'Second', ...steps }), /another active allocation rule/);
  await create(`${customer}/deposits`, { amount: { value: '100.00', currency: 'USD' } });
  assert.deepEqual(
    [(await get(`/labels/${taxes}`)).amount.value, (await get(`/labels/${rent}`)).amount.value],
    ['125.00', '10.00'],
  );
  const [rule] = await listed('allocation-rules');
  await sendTwice(`${path}/allocation-rules/${rule.id}/delete`);
  assert.deepEqual(await listed('allocation-rules'), []);
  assert.deepEqual(new Set(await auditOf(rule.id)), new Set(['delete_allocation_rule', 'create_allocation_rule']));
});

test('only finance plans money, and only below the customer that it belongs to', async () => {
  const { customer, newHold } = await openHolds(shared);
  const path = `/console/customers/${idOf(customer)}`;
  const hold = idOf(await newHold('10.00'));
  const elsewhere = (await openCustomer()).path;
  const viewer = await openSession(shared, 'viewer');
  assert.doesNotMatch((await viewer.load(path)).text, /\/holds\/new|\/release"/);
  for (const folder of ['holds', 'schedules', 'allocation-rules', 'monitors']) {
    assert.equal((await viewer.load(`${path}/${folder}/new`)).status, 403, folder);
    assert.equal((await viewer.submit(`${path}/${folder}/new`, {})).status, 403, folder);
    assert.match(
      (await submit(`${path}/${folder}/new`, { key: 'x' })).text,
      /Choose|Open the form again|Give|ambiguous|digits/,
      folder,
    );
  }
  for (const word of ['capture', 'release']) {
    assert.equal((await viewer.submit(`${path}/holds/${hold}/${word}`, {})).status, 403);
    assert.equal((await load(`${elsewhere}/holds/${hold}/${word}`)).status, 404, 'of another customer');
    const key = await keyOn(`${path}/holds/${hold}/release`);
    assert.equal((await submit(`${elsewhere}/holds/${hold}/${word}`, { key, to: 'outside', amount: '1' })).status, 404);
  }
});
