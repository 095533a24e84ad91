// The month close: a file of the bank is dropped in, three exceptions are worked off, the month is closed and its statements saved.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { unzipSync } from 'fflate';
import { idOf } from '../../../../test/support/http.ts';
import { enterBy, newLink, openSession } from '../../../../test/support/operators.ts';
import { startService, type TestService } from '../../../../test/support/service.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after });
const HREF = '/console/close';
const MAP = 'date=date;amount=amount;reference=reference;balance=balance';
const DAY_MS = 86_400_000;
const ZONE = 'UTC';
/** Customers of another account with the same name: more than a search finds. */
const ELSEWHERE = 51;
const HOSTILE = '<script>alert(1)</script>';

type Session = Awaited<ReturnType<typeof openSession>>;

/** Sends the form with the file as a browser does. */
async function drop(
  { url }: Pick<TestService, 'url'>,
  cookie: string,
  fields: Record<string, string>,
  content: string | Buffer<ArrayBuffer>,
  previous?: string,
) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([content]), 'november.csv');
  // A browser sends a file field in which none was chosen, without a name.
  body.append('previous', new Blob([previous ?? '']), previous === undefined ? '' : 'open.json');
  const headers = { cookie, 'sec-fetch-site': 'same-origin', accept: 'text/html' };
  const answer = await fetch(url + HREF, { method: 'POST', body, headers, redirect: 'manual' });
  return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() };
}

/** A customer with a deposit and a withdrawal of today, and the file of the bank with two lines more and another reference. */
async function openMonth() {
  const platform = { ...shared, ...(await shared.newPlatform()) };
  const { create, call, newCustomer } = platform;
  const customer = await newCustomer({ form: { externalId: 'KD-1' } });
  const today = new Date().toISOString().slice(0, 10);
  const usd = (value: string) => ({ value, currency: 'USD' });
  await create(`${customer}/deposits`, { amount: usd('100.00'), reference: 'invoice 1' });
  await create(`${customer}/withdrawals`, { amount: usd('40.00'), reference: 'payout 77' });
  const lines = [
    ['100.00', 'invoice 1', '100.00'],
    ['-40.00', 'transfer 4711', '60.00'],
    ['25.00', `from a new payer ${HOSTILE}`, '85.00'],
    ['-2.50', 'fee of the bank', '82.50'],
  ];
  const file = ['date,amount,reference,balance', ...lines.map((line) => [today, ...line].join(','))].join('\n');
  const passMonth = async () => {
    const seconds = Math.ceil((31 * DAY_MS) / 1000);
    assert.equal((await call('POST', '/sandbox/clock', { body: { advanceSeconds: seconds } })).status, 200);
  };
  const account = platform.client.account_id;
  return {
    ...platform,
    customer,
    today,
    file,
    passMonth,
    account,
    choices: { account, month: today.slice(0, 7), zone: ZONE, map: MAP, currency: 'USD' },
  };
}

/** The key of the open item with an amount. */
function keyOf(text: string, amount: string): string {
  const item = [...text.matchAll(/<li>(.*?)<\/li>/gs)]
    .map(([, inner]) => inner!)
    .find((inner) => inner.includes(`>${amount} USD`));
  return /name="item" value="([^"]+)"/.exec(item ?? '')![1]!;
}

const openIn = (text: string) => Number(/(\d+) items are open/.exec(text)?.[1] ?? (text.includes('One item is open') ? 1 : 0));

test('three exceptions are recorded, linked and explained, and the close is an entry with the totals', async () => {
  const { choices, file, passMonth, account, customer, get } = await openMonth();
  const session: Session = await openSession(shared, 'finance');
  const { load, submit, operator } = session;
  const dropped = await drop(shared, session.cookie, choices, file);
  assert.equal(dropped.status, 303, dropped.text.replaceAll(/<[^>]+>/g, ' ').slice(-800));
  const path = dropped.to;
  const first = (await load(path)).text;
  assert.equal(openIn(first), 4, 'the line of the withdrawal and its movement, the payer and the fee');
  assert.ok(first.includes('82.50') && first.includes('november.csv'));
  assert.ok(first.includes('from a new payer &lt;script') && !first.includes(HOSTILE), 'what a stranger wrote is text');
  assert.match((await submit(`${path}/finish`)).text, /not over|still open/);

  const recorded = await submit(`${path}/record`, { item: keyOf(first, '+25.00'), customer: 'KD-1' });
  assert.equal(recorded.status, 303, recorded.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' '));
  assert.equal(openIn((await load(path)).text), 3, 'what is recorded matches its line');
  assert.equal((await get(`${customer}/deposits`)).total, 2);
  const second = (await load(path)).text;
  const [line, movement] = [keyOf(second, '−40.00'), /<option value="([^"]+)"/.exec(second)![1]!];
  assert.match((await submit(`${path}/settle`, { item: keyOf(second, '−2.50'), with: movement })).text, /of the same amount/);
  await submit(`${path}/settle`, { item: line, with: movement });
  assert.equal(openIn((await load(path)).text), 1);
  await submit(`${path}/reopen`, { item: line });
  assert.equal(openIn((await load(path)).text), 3, 'both sides are open again');
  await submit(`${path}/settle`, { item: line, with: movement });
  assert.match((await submit(`${path}/settle`, { item: keyOf(second, '−2.50'), text: ' ' })).text, /Say why/);
  await passMonth();
  const early = await submit(`${path}/finish`);
  assert.deepEqual([early.status, /1 item is still open/.test(early.text)], [409, true]);
  await submit(`${path}/settle`, { item: keyOf(second, '−2.50'), text: 'Fee, booked at the end of the year' });
  const closed = await submit(`${path}/finish`);
  assert.equal(closed.headers.location, `${HREF}?done=closed&work=${path.split('/').at(-1)}`, closed.text.slice(-500));
  const [entry] = await listAudit(shared.sql, { operatorId: operator.id, action: 'close_month' }, 2);
  assert.deepEqual(
    [entry!.resourceId, entry!.detail.month, entry!.detail.totals],
    [account, choices.month, ['USD bank 82.50, ledger 85.00']],
  );
  assert.ok(String(entry!.detail.explained).includes('bank −2.50 USD: Fee, booked at the end of the year'));

  const page = (await load(HREF)).text;
  assert.ok(page.includes(operator.name));
  const href = /href="([^"]+format=csv)"/.exec(page.replaceAll('&amp;', '&'))![1]!;
  const headers = { cookie: session.cookie, 'sec-fetch-site': 'same-origin' };
  const zip = unzipSync(new Uint8Array(await (await fetch(shared.url + href, { headers })).arrayBuffer()));
  assert.deepEqual(Object.keys(zip), [`statement-${choices.month}-${idOf(customer)}.csv`]);
  assert.match(Buffer.from(Object.values(zip)[0]!).toString(), /invoice 1/);
});

test('a line is recorded for the customer with a whole name, and a part of one only says who is meant', async () => {
  const { choices, file, newCustomer, get } = await openMonth();
  const named = (businessName: string) => newCustomer({ form: { businessName } });
  const [customer, ...twins] = [await named('Zürich Kontor'), await named('Twin Ltd'), await named('Twin Ltd')];
  for (let count = 0; count < ELSEWHERE; count++) await shared.newCustomer({ form: { businessName: 'Zürich Kontor' } });
  const session = await openSession(shared, 'finance');
  const { to } = await drop(shared, session.cookie, choices, file);
  const key = keyOf((await session.load(to)).text, '+25.00');
  const record = (customer: string) => session.submit(`${to}/record`, { item: key, customer });
  for (const [text, message] of [
    ['kontor', /Is it Zürich Kontor \(…[0-9a-f]{8}\)\? Write the whole name/],
    ['twin ltd', /Several customers are called “twin ltd”: Twin Ltd/],
    ['Nobody', /has the id or the name “Nobody”/],
  ] as const) {
    const { status, text: page } = await record(text);
    assert.deepEqual([status, message.test(page)], [400, true], text);
  }
  const recorded = await record('zurich KONTOR');
  assert.equal(recorded.status, 303, recorded.text.slice(-600));
  assert.equal((await get(`${customer}/deposits`)).total, 1);
  for (const twin of twins) assert.equal((await get(`${twin}/deposits`)).total, 0);
});

test('a refused line fills what was entered into its own form only', async () => {
  const { choices, today } = await openMonth();
  const { cookie, load, submit } = await openSession(shared, 'finance');
  const lines = ['11.00,one', '22.00,two', '-400.00,three'].map((line) => `${today},${line}`);
  const form = { ...choices, map: 'date=date;amount=amount;reference=reference' };
  const { to } = await drop(shared, cookie, form, ['date,amount,reference', ...lines].join('\n'));
  const item = keyOf((await load(to)).text, '−400.00');
  const refused = await submit(`${to}/record`, { item, customer: 'KD-1' });
  assert.ok(refused.status >= 400 && refused.status < 500);
  const filled = refused.text.split('<li>').filter((inner) => inner.includes('value="KD-1"'));
  assert.deepEqual([filled.length, filled[0]?.includes('>−400.00 USD')], [1, true]);
});

test('a file with lines of one day does not hide what only the ledger has on the other days of the month', async () => {
  const { choices, today } = await openMonth();
  const { cookie, load } = await openSession(shared, 'finance');
  const other = `${choices.month}-${today.endsWith('15') ? '14' : '15'}`;
  const form = { ...choices, map: 'date=date;amount=amount;reference=reference' };
  const { to } = await drop(shared, cookie, form, `date,amount,reference\n${other},1.00,from nobody\n`);
  const page = (await load(to)).text;
  assert.equal(openIn(page), 3, 'the line, the deposit and the withdrawal');
  assert.ok(page.includes('invoice 1') && page.includes('payout 77'));
});

test('a file without lines is of the whole month', async () => {
  const { choices } = await openMonth();
  const { cookie, load } = await openSession(shared, 'finance');
  const form = { ...choices, map: 'date=date;amount=amount;reference=reference' };
  const { status, to, text } = await drop(shared, cookie, form, 'date,amount,reference\n');
  assert.equal(status, 303, text.slice(-500));
  const page = (await load(to)).text;
  assert.equal(openIn(page), 2, 'the deposit and the withdrawal');
  assert.ok(page.includes(`covers ${choices.month}-01 to ${choices.month}-`));
});

test('the close of the next month gets what was left open, with the words of before, and nothing that was settled', async () => {
  const { choices, customer, today, create, call, client, tokenOf } = await openMonth();
  const { cookie, load, submit } = await openSession(shared, 'finance');
  const [year, month] = today.split('-').map(Number) as [number, number];
  const [last, next] = [Date.UTC(year, month, 0, 12), Date.UTC(year, month, 2, 12)];
  const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);
  let now = Date.now();
  const passUntil = async (moment: number) => {
    const seconds = Math.max(1, Math.ceil((moment - now) / 1000));
    const token = await tokenOf(client);
    assert.equal((await call('POST', '/sandbox/clock', { body: { advanceSeconds: seconds }, token })).status, 200);
    now += seconds * 1000;
  };
  const deposit = async (value: string, reference: string) =>
    create(`${customer}/deposits`, { amount: { value, currency: 'USD' }, reference }, { token: await tokenOf(client) });
  const csv = (moment: number, ...lines: [string, string][]) =>
    ['date,amount,reference', ...lines.map((line) => [dayOf(moment), ...line].join(','))].join('\n');
  const first = { ...choices, map: 'date=date;amount=amount;reference=reference' };
  const second = { ...first, month: dayOf(next).slice(0, 7) };

  await passUntil(last);
  await deposit('7.00', 'another text');
  const before = csv(last, ['55.00', 'comes late'], ['-2.50', 'fee'], ['7.00', 'by hand']);
  const dropped = await drop(shared, cookie, first, before);
  assert.equal(dropped.status, 303, dropped.text.slice(-800));
  const page = (await load(dropped.to)).text;
  await submit(`${dropped.to}/settle`, { item: keyOf(page, '−2.50'), text: 'Booked later' });
  await submit(`${dropped.to}/settle`, { item: keyOf(page, '+55.00'), text: 'A payer we do not know yet' });
  const movement = /<option value="([^"]+)">[^<]*another text/.exec(page)![1]!;
  assert.equal((await submit(`${dropped.to}/settle`, { item: keyOf(page, '+7.00'), with: movement })).status, 303);
  const file = await load(`${dropped.to}/open.json`);
  assert.match(String(file.headers['content-disposition']), /attachment; filename="open-.*\.json"/);
  const saved = JSON.parse(file.text);
  assert.deepEqual(Object.values(saved.explained), ['Booked later', 'A payer we do not know yet']);

  await passUntil(next);
  await deposit('55.00', 'comes late');
  const later = csv(next, ['7.00', 'another text']);
  const alone = (await load((await drop(shared, cookie, second, later)).to)).text;
  const { to } = await drop(shared, cookie, second, later, file.text);
  const continued = (await load(to)).text;
  assert.ok(
    alone.includes('comes late') && !continued.includes('comes late'),
    'the late deposit has its line of the month before',
  );
  assert.ok(!alone.includes('another text') && continued.includes('another text'), 'what was settled is not used again');
  assert.ok(continued.includes('value="Booked later"') && continued.includes('from a month before'));
  const recorded = await submit(`${to}/record`, { item: keyOf(continued, '−2.50'), customer: 'KD-1' });
  assert.equal(recorded.status, 303, 'a line of the month before can be recorded');
  assert.ok(!(await load(to)).text.includes('Booked later'));

  const bad = await drop(shared, cookie, second, later, '{}');
  assert.ok(bad.status === 400 && bad.text.includes('not a reconciliation that was saved'), bad.text.slice(-600));
  const backwards = await drop(shared, cookie, first, before, JSON.stringify({ ...saved, to: dayOf(last) }));
  assert.ok(backwards.status === 400 && /reaches to .*, and the file begins on/.test(backwards.text));
  const { account_id: stranger } = await shared.newClient();
  const foreign = await drop(shared, cookie, { ...first, account: stranger }, before, file.text);
  assert.ok(foreign.status === 400 && foreign.text.includes('is of the account'));
  const other = await openSession(shared, 'finance');
  assert.equal((await other.load(`${to}/open.json`)).status, 404, 'the work is of one person');
});

test('what explains an amount does not explain another one, and is suggested for it', async () => {
  const { choices, customer, today, create } = await openMonth();
  const { cookie, load, submit } = await openSession(shared, 'finance');
  const form = { ...choices, map: 'date=date;amount=amount;reference=reference' };
  const lines = ['100.00,invoice 1', '-40.00,payout 77', '120.00,invoice 9'].map((line) => `${today},${line}`);
  const deposit = (value: string) =>
    create(`${customer}/deposits`, { amount: { value, currency: 'USD' }, reference: 'invoice 9' });
  await deposit('100.00');
  const { to } = await drop(shared, cookie, form, ['date,amount,reference', ...lines].join('\n'));
  await submit(`${to}/settle`, { item: keyOf((await load(to)).text, '+20.00'), text: '20.00 fee' });
  await submit(`${to}/compare`);
  assert.equal(openIn((await load(to)).text), 0, 'the same difference stays explained');
  await deposit('5000.00');
  for (let time = 0; time < 2; time++) {
    await submit(`${to}/compare`);
    const { text } = await load(to);
    assert.deepEqual([openIn(text), text.includes('value="20.00 fee"')], [1, true]);
    assert.ok(keyOf(text, '−4,980.00'));
  }
});

test('a file of one day, and one without a currency of the ledger, close no month without a word', async () => {
  const { choices, customer, create, passMonth, account } = await openMonth();
  const { cookie, load, submit } = await openSession(shared, 'finance');
  await create(`${customer}/deposits`, { amount: { value: '8.00', currency: 'CHF' } });
  const day = `${choices.month.slice(2).replace('-', '')}15`;
  const file = `:20:ONE DAY\n:25:DE00/1\n:28C:1/1\n:60F:C${day}EUR0,00\n:62F:C${day}EUR0,00\n-\n`;
  const { to, text: refusal } = await drop(shared, cookie, { ...choices, map: '', currency: '' }, file);
  const { text } = await load(to);
  assert.equal(openIn(text), 3, `days, USD and CHF: ${refusal}`);
  assert.match(text, new RegExp(`The file covers ${choices.month}-15 to ${choices.month}-15, not all of ${choices.month}`));
  for (const item of ['coverage', 'coverage-USD', 'coverage-CHF'])
    assert.equal((await submit(`${to}/settle`, { item, text: `It is in another file: ${item}` })).status, 303);
  await passMonth();
  const closed = await Promise.all([submit(`${to}/finish`), submit(`${to}/finish`)]);
  const again = await submit(`${to}/finish`);
  assert.equal(new Set([...closed, again].map(({ headers }) => headers.location)).size, 1);
  const entries = await listAudit(shared.sql, { resourceId: account, action: 'close_month' }, 9);
  assert.equal(entries.length, 1, 'a form that is sent twice closes once');
  assert.ok(String(entries[0]!.detail.explained).includes('coverage 8.00 CHF: It is in another file'));
  assert.ok((await load(HREF)).text.includes(`${choices.month}-15 to ${choices.month}-15`));
});

test('a line of the bank above the limit of one person is recorded once another one approves', async () => {
  const { choices, file, account, customer, newCustomer, get } = await openMonth();
  const [one, other, admin] = [
    await openSession(shared, 'finance'),
    await openSession(shared, 'finance'),
    await openSession(shared, 'admin'),
  ];
  await admin.submit(`/console/policies/${account}/limits`, { currency: 'USD', amount: '24.99' });
  const { to } = await drop(shared, one.cookie, choices, file);
  const key = keyOf((await one.load(to)).text, '+25.00');
  const asked = await one.submit(`${to}/record`, { item: key, customer: 'KD-1' });
  const request = asked.headers.location!.split('?')[0]!;
  assert.match(request, /^\/console\/people\/requests\//);
  assert.deepEqual([openIn((await one.load(to)).text), (await get(`${customer}/deposits`)).total], [4, 1], 'nothing is recorded');
  assert.ok((await one.load(to)).text.includes(`href="${request}"`), 'the line leads to its request');
  await newCustomer({ form: { externalId: 'KD-2' } });
  const again = await one.submit(`${to}/record`, { item: key, customer: 'KD-2' });
  assert.deepEqual([again.status, /has asked to record this line/.test(again.text)], [409, true]);
  assert.match((await other.submit(`${request}/approve`)).headers.location!, /done=moved/);
  await one.submit(`${to}/compare`);
  assert.deepEqual([openIn((await one.load(to)).text), (await get(`${customer}/deposits`)).total], [3, 2]);
});

test('a line of the bank is recorded for one customer, whoever else has the same file', async () => {
  const { choices, file, account, customer, create, newCustomer, get } = await openMonth();
  const rival = await newCustomer({ form: { externalId: 'KD-2' } });
  const [one, other, admin] = [
    await openSession(shared, 'finance'),
    await openSession(shared, 'finance'),
    await openSession(shared, 'admin'),
  ];
  const [{ to }, { to: older }] = [
    await drop(shared, one.cookie, choices, file),
    await drop(shared, other.cookie, choices, file),
  ];
  const text = (await one.load(to)).text;
  const [paid, fee] = [keyOf(text, '+25.00'), keyOf(text, '−2.50')];
  assert.equal((await one.submit(`${to}/record`, { item: paid, customer: 'KD-1' })).status, 303);
  const late = await other.submit(`${older}/record`, { item: paid, customer: 'KD-2' });
  assert.deepEqual([late.status, /not open any more/.test(late.text), openIn(late.text)], [400, true, 3]);
  assert.deepEqual([(await get(`${customer}/deposits`)).total, (await get(`${rival}/deposits`)).total], [2, 0]);

  await admin.submit(`/console/policies/${account}/limits`, { currency: 'USD', amount: '1.00' });
  const asked = await one.submit(`${to}/record`, { item: fee, customer: 'KD-1' });
  const request = asked.headers.location!.split('?')[0]!;
  await create(`${rival}/deposits`, { amount: { value: '9.00', currency: 'USD' } });
  await create(`${rival}/withdrawals`, { amount: { value: '2.50', currency: 'USD' }, externalId: fee });
  const approved = await other.submit(`${request}/approve`);
  assert.deepEqual([approved.status, /is recorded already/.test(approved.text)], [409, true]);
  assert.equal((await get(`${customer}/withdrawals`)).total, 1);
});

test('two people who record a line of the bank at once for two customers record it once', async () => {
  const { choices, today, customer, newCustomer, get } = await openMonth();
  const rival = await newCustomer({ form: { externalId: 'KD-2' } });
  const values = ['3.01', '3.02', '3.03', '3.04'];
  const file = ['date,amount,reference', ...values.map((value) => `${today},${value},paid ${value}`)].join('\n');
  const people = await Promise.all(
    ['KD-1', 'KD-2'].map(async (wanted) => {
      const session = await openSession(shared, 'finance');
      const { to } = await drop(shared, session.cookie, { ...choices, map: 'date=date;amount=amount;reference=reference' }, file);
      return { wanted, to, ...session };
    }),
  );
  const text = (await people[0]!.load(people[0]!.to)).text;
  for (const value of values) {
    const item = keyOf(text, `+${value}`);
    const answers = await Promise.all(people.map(({ submit, to, wanted }) => submit(`${to}/record`, { item, customer: wanted })));
    const statuses = answers.map(({ status }) => status).sort();
    assert.equal(statuses[0], 303, answers.map(({ text }) => text.slice(-500)).join());
    assert.ok(statuses[1]! >= 400 && statuses[1]! < 500, `${statuses}`);
  }
  const [mine, theirs] = [(await get(`${customer}/deposits`)).total, (await get(`${rival}/deposits`)).total];
  assert.equal(mine + theirs, 1 + values.length, 'one was there before');
});

test('a wrong file says what is wrong and keeps the choices; the work is of one person, also after a new sign-in', async () => {
  const { choices, file } = await openMonth();
  const [one, other, viewer] = [
    await openSession(shared, 'finance'),
    await openSession(shared, 'finance'),
    await openSession(shared, 'viewer'),
  ];
  for (const [fields, content, fault] of [
    [choices, '', /The file is empty/],
    [{ ...choices, month: '2020-01' }, file, /is not within 2020-01/],
    [{ ...choices, month: '2999-01' }, file, /has not begun/],
    [{ ...choices, zone: 'Mars/Base' }, file, /Europe\/Berlin/],
    [{ ...choices, account: 'x' }, file, /Choose an account/],
    [{ ...choices, map: 'date=nothing' }, file, /The map of columns names one for amount/],
    [{ ...choices, map: 'date=nothing;amount=amount' }, file, /no header with the columns of the map: &quot;nothing&quot;/],
    [{ ...choices, bankAccount: 'DE00' }, file, /has no account DE00/],
    [choices, file.replace('60.00', '61.00'), /balance/i],
  ] as const) {
    const { status, text } = await drop(shared, one.cookie, fields, content);
    assert.equal(status, 400, String(fault));
    assert.match(text, fault);
    assert.ok(text.includes(`value="${fields.map}"`), 'the choices are there again');
  }
  const latin = Buffer.from(file.replace('fee', 'Gebühr'), 'latin1');
  assert.match((await drop(shared, one.cookie, choices, latin)).text, /not UTF-8\. Name the characters of the file, such/);
  const named = await drop(shared, one.cookie, { ...choices, encoding: 'windows-1252' }, latin);
  assert.ok((await one.load(named.to)).text.includes('Gebühr'), 'in the characters that the form names');
  const large = await drop(shared, one.cookie, choices, 'x'.repeat(4 * 1024 * 1024));
  assert.equal(large.status, 413);
  const { to } = await drop(shared, one.cookie, choices, file);
  assert.equal((await one.load(to)).status, 200);
  await shared.sql`delete from operator_session where operator_id = ${one.operator.id}`;
  const again = await enterBy(shared, await newLink(shared, one.operator.id));
  assert.match((await again.load(to)).text, /4 items are open/, 'the work goes on after a new sign-in');
  assert.deepEqual([(await other.load(to)).status, (await other.submit(`${to}/compare`)).status], [404, 404]);
  assert.deepEqual([(await viewer.load(to)).status, (await drop(shared, viewer.cookie, choices, file)).status], [403, 403]);
  const [{ sealed }] =
    (await shared.sql`select encode(sealed, 'escape') as sealed from operator_kept order by length(sealed) desc`) as [
      { sealed: string },
    ];
  assert.ok(!sealed.includes('new payer'), 'the file is sealed');
});
