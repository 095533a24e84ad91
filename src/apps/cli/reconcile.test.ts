// Tests of `earmark reconcile` on the database of a running service: the same movements in files of each format, and recording.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { Body } from '../../../test/support/http.ts';
import { ROOT } from '../../../test/support/paths.ts';
import { assertOneLine, runCli, settingsOf } from '../../../test/support/process.ts';
import { openAccount, startService } from '../../../test/support/service.ts';

const shared = await startService({ after });
const folder = mkdtempSync(join(tmpdir(), 'earmark-reconcile-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const env = { ...settingsOf(shared), PUBLIC_URL: shared.url };

/** The days of the examples become days of today, because deposits are dated now. */
const today = new Date().toISOString().slice(0, 10);
const short = today.slice(2).replaceAll('-', '');
const EUR = (value: string) => ({ amount: { value, currency: 'EUR' } });
const CSV_MAP =
  'date=Booked;value=Valued;amount=Amount;currency=Currency;reference=Reference;text=Text;name=Name;balance=Balance;dates=DD.MM.YYYY;decimal=,';

function fileOf(name: string, change: (text: string) => string = (text) => text): string {
  const text = readFileSync(join(ROOT, 'examples/bank-files', name), 'utf8')
    .replaceAll(/2026-01-[0-3]\d/g, today)
    .replaceAll(/\b(260[12])[0-3]\d(?=[\dCD,E])(0\d{3}(?=[CD]))?/g, (_, __, booked) => short + (booked ? short.slice(2) : ''))
    .replaceAll(/([DC])2601[0-3]\d/g, `$1${short}`)
    .replaceAll(/20260[12][0-3]\d/g, today.replaceAll('-', ''))
    .replaceAll(/[0-3]\d\.01\.2026/g, today.split('-').reverse().join('.'));
  const file = join(folder, `${Math.random()}-${name}`);
  writeFileSync(file, change(text));
  return file;
}

/** An account whose ledger has what the examples have: two customers, three deposits, a payout. */
async function openBooks() {
  const service = await openAccount(shared);
  const [ada, grace] = [await service.newCustomer(), await service.newCustomer()];
  await service.create(`${ada}/deposits`, { ...EUR('1000'), reference: 'Invoice 2026/17' });
  await service.create(`${ada}/deposits`, { ...EUR('300'), externalId: 'E2E-21' });
  await service.create(`${grace}/deposits`, { ...EUR('200'), reference: 'e2e-22' });
  await service.create(`${ada}/withdrawals`, { ...EUR('184.50'), externalId: 'PAYOUT-9' });
  return { ...service, ada, grace, account: service.client.account_id };
}

async function reconcile(t: TestContext, account: string, file: string, ...more: string[]) {
  const ended = await runCli(t, ['reconcile', file, '--account', account, '--json', ...more], env);
  assert.ok(ended.stdout.startsWith('{'), ended.stderr);
  return { code: ended.code, ...(JSON.parse(ended.stdout) as Body) } as Body;
}

const books = await openBooks();

for (const name of ['statement.camt053.xml', 'statement.mt940', 'statement.bai2', 'statement.ofx', 'statement.csv']) {
  test(`${name} matches the ledger`, async (t) => {
    const map = name.endsWith('csv') ? ['--map', CSV_MAP] : [];
    const whole = await reconcile(t, books.account, fileOf(name), ...map);
    assert.equal(whole.code, 0, JSON.stringify(whole));
    assert.deepEqual(whole.matched.map(({ by, lines }: Body) => `${lines[0].amount.value} ${by}`).sort(), [
      '-184.50 externalId',
      '1000.00 reference',
      '200.00 reference',
      '300.00 externalId',
    ]);
    const [currency] = whole.currencies;
    assert.deepEqual([currency.ledger.closing, currency.bank.closing, currency.unexplained], ['1315.50', '1315.50', '0.00']);
  });
}

test('finds another amount, a line without a movement and a movement without a line', async (t) => {
  const header = 'date,amount,reference,balance\n';
  const file = join(folder, 'changed.csv');
  const line = (amount: string, reference: string, balance: string) => `${today},${amount},${reference},${balance}\n`;
  writeFileSync(
    file,
    header +
      line('1000.01', 'invoice 2026-17', '1000.01') +
      line('300.00', 'E2E-21', '1300.01') +
      line('7.00', 'gift', '1307.01'),
  );
  const map = ['--map', 'date=date;amount=amount;reference=reference;balance=balance', '--currency', 'EUR'];
  const found = await reconcile(t, books.account, file, ...map);
  assert.equal(found.code, 1);
  const amounts = (all: Body[]) => all.map(({ amount }) => amount.value);
  assert.deepEqual(amounts(found.onlyAtBank), ['7.00']);
  assert.deepEqual(amounts(found.onlyInLedger).sort(), ['-184.50', '200.00']);
  assert.deepEqual(
    found.different.map(({ lines, movements }: Body) => [...amounts(lines), ...amounts(movements)]),
    [['1000.01', '1000.00']],
  );
  assert.deepEqual([found.currencies[0].different.amount, found.currencies[0].unexplained], ['0.01', '0.00']);
  const shown = await runCli(t, ['reconcile', file, '--account', books.account, ...map], env);
  assert.match(shown.stdout, /Only at the bank: 1\n.*\n2?\d? *4? *.*7\.00 EUR/);
  assert.match(shown.stdout, /Not everything matches\./);
});

test('a reference is found as a bank spells its letters', async (t) => {
  const service = await openAccount(shared);
  await service.create(`${await service.newCustomer()}/deposits`, { ...EUR('7'), reference: 'Faktura Łódź, Straße 7' });
  const file = join(folder, 'spelled.csv');
  writeFileSync(file, `date,amount,reference\n${today},7.00,FAKTURA LODZ STRASSE 7\n`);
  const { matched } = await reconcile(t, service.client.account_id, file, '--currency', 'EUR');
  assert.deepEqual(
    matched.map(({ by }: Body) => by),
    ['reference'],
  );
});

test('--days is how far the bank and the ledger may be apart', async (t) => {
  const service = await openAccount(shared);
  const customer = await service.newCustomer();
  for (const [value, reference] of [
    ['20', 'first'],
    ['5', 'second'],
  ] as const)
    await service.create(`${customer}/deposits`, { ...EUR(value), reference });
  const tenDaysAgo = new Date(Date.parse(today) - 10 * 86_400_000).toISOString().slice(0, 10);
  const file = join(folder, 'apart.csv');
  writeFileSync(file, `date,amount,reference\n${tenDaysAgo},20.00,first\n${today},5.00,second\n`);
  const counts = async (...more: string[]) => {
    const found = await reconcile(t, service.client.account_id, file, '--currency', 'EUR', ...more);
    return [found.code, found.matched.length, found.onlyAtBank.length, found.onlyInLedger.length];
  };
  assert.deepEqual(await counts(), [1, 1, 1, 1]);
  assert.deepEqual(await counts('--days', '9'), [1, 1, 1, 1]);
  assert.deepEqual(await counts('--days', '10'), [0, 2, 0, 0]);
});

test('accounts and rules may have spaces', async (t) => {
  const service = await openAccount(shared);
  const other = (text: string) => `${text}${text.slice(text.indexOf('<STMTRS>')).replace('202051', '999999')}`;
  const two = fileOf('statement.ofx', (text) => text.replace(/<STMTRS>[\s\S]*<\/STMTRS>/, other));
  const one = await reconcile(t, service.client.account_id, two, '--bank-account', '12030000 202051');
  assert.equal(one.onlyAtBank.length, 4, JSON.stringify(one));
  await service.newCustomer({ form: { externalId: '1001' } });
  const file = fileOf('statement.mt940', (text) => text.replace('KD-1001', 'Customer no, 1001'));
  const recorded = await reconcile(t, service.client.account_id, file, '--record', '--rule', 'Customer no, {externalId}');
  assert.equal(recorded.recorded.filter(({ deposit }: Body) => deposit).length, 1, JSON.stringify(recorded.recorded));
});

test('a line of a field of MT940 may begin with a hyphen', async (t) => {
  const service = await openAccount(shared);
  await service.create(`${await service.newCustomer()}/deposits`, { ...EUR('1000'), reference: 'KD-H77' });
  const file = fileOf('statement.mt940', (text) => text.replace(/166\?.*\n/, 'Rent for the old town number 17 KD\n-H77\n'));
  const { matched } = await reconcile(t, service.client.account_id, file);
  assert.deepEqual(
    matched.map(({ by, lines }: Body) => [by, lines[0].text]),
    [['reference', 'Rent for the old town number 17 KD -H77']],
  );
});

test('values of OFX may be empty without an end tag, and an aggregate may not', async (t) => {
  const empty = fileOf('statement.ofx', (text) =>
    text
      .replace('<TRNUID>1', '<TRNUID>\n')
      .replace('<DTEND>', '<MKTGINFO>\n<DTEND>')
      .replace('<FITID>B-0001<NAME>', '<CHECKNUM>\n<FITID>B-0001<EXTDNAME>\n<PAYEEID>\n<NAME>')
      .replace('<MEMO>KD-1001', '<NAME>\n<MEMO>\n'),
  );
  const whole = await reconcile(t, books.account, empty);
  assert.deepEqual([whole.code, whole.matched.length], [0, 4], JSON.stringify(whole));
  const cut = fileOf('statement.ofx', (text) => text.replace('<MEMO>KD-1001</STMTTRN>', '<MEMO>KD-1001'));
  assertOneLine(await runCli(t, ['reconcile', cut, '--account', books.account], env), /<STMTTRN> is open/, 1);
});

test('records what only the bank has once, to the customer that a rule finds', async (t) => {
  const service = await openAccount(shared);
  const customers = [
    await service.newCustomer({ form: { externalId: '1001' } }),
    await service.newCustomer({ form: { externalId: '1002' } }),
  ];
  const file = fileOf('statement.camt053.xml');
  const rule = ['--record', '--rule', 'KD-{externalId}'];
  const first = await reconcile(t, service.client.account_id, file, ...rule);
  assert.equal(first.recorded.filter(({ deposit }: Body) => deposit).length, 2, JSON.stringify(first.recorded));
  assert.deepEqual(first.onlyAtBank.map(({ amount }: Body) => amount.value).sort(), ['-184.50', '1000.00']);
  const runs = await Promise.all([1, 2].map(() => reconcile(t, service.client.account_id, file, ...rule)));
  for (const again of runs) {
    assert.equal(again.recorded.filter(({ deposit }: Body) => deposit).length, 0);
    assert.equal(again.matched.length, 2);
  }
  const { body } = await service.call('GET', `${customers[0]}/deposits`);
  assert.equal(body.total, 1);
  const [deposit] = body._embedded.deposits;
  assert.deepEqual([deposit.amount.value, deposit.reference, deposit.metadata.bankBooked], ['300.00', 'E2E-21', today]);
  assert.match(deposit.externalId, /^bank-[0-9a-f]{32}$/);
});

test('refuses wrong files and arguments in one line', async (t) => {
  const run = (...args: string[]) => runCli(t, ['reconcile', ...args], env);
  for (const [args, says] of [
    [['/nowhere.xml'], /cannot be read: ENOENT/],
    [[fileOf('statement.mt940'), '--record'], /--record and --rule/],
    [[fileOf('statement.mt940'), '--zone', 'Mars'], /--zone/],
    [[fileOf('statement.mt940', (text) => text.slice(0, text.indexOf(':62F')))], /Line 2: .*not complete/],
    [
      [fileOf('statement.bai2', (text) => text.replace('99,300000', '99,300001'))],
      /Line 12: the trailer 99 says control total 300001/,
    ],
    [[fileOf('statement.camt053.xml', (text) => text.replace('?>', '?><!DOCTYPE a [<!ENTITY b "c">]>'))], /DOCTYPE/],
  ] as const) {
    const ended = await run(...args);
    assertOneLine(ended, says, args.length > 1 ? 2 : 1);
  }
});

test('--previous carries what the period before left open, and does not use again what it settled', async (t) => {
  const service = await openAccount(shared);
  const customer = await service.newCustomer();
  const deposit = (value: string, reference: string) => service.create(`${customer}/deposits`, { ...EUR(value), reference });
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
  const csv = (name: string, ...lines: string[]) => {
    const file = join(folder, name);
    writeFileSync(file, ['date,amount,reference', ...lines, ''].join('\n'));
    return [file, '--currency', 'EUR'] as const;
  };
  const run = ([file, ...more]: readonly [string, ...string[]], ...others: string[]) =>
    reconcile(t, service.client.account_id, file, ...more, ...others);
  await deposit('20', 'settled');
  const kept = join(folder, 'kept.json');
  const first = await run(csv('first.csv', `${yesterday},50.00,late`, `${yesterday},20.00,settled`), '--save', kept);
  assert.deepEqual([first.code, first.onlyAtBank.length, first.matched.length], [1, 1, 1]);
  await deposit('50', 'late');
  await deposit('7', 'new');
  const second = csv('second.csv', `${today},7.00,new`);
  const alone = await run(second);
  assert.deepEqual([alone.code, alone.onlyInLedger.length], [1, 2], JSON.stringify(alone));
  const continued = await run(second, '--previous', kept);
  assert.deepEqual([continued.code, continued.matched.length], [0, 2], JSON.stringify(continued));
  const backwards = await runCli(
    t,
    ['reconcile', ...csv('first.csv', `${yesterday},1,x`), '--account', service.client.account_id, '--previous', kept],
    env,
  );
  assertOneLine(backwards, /reaches to .*, and the file begins on /);
  const others = await runCli(t, ['reconcile', ...second, '--account', books.account, '--previous', kept], env);
  assertOneLine(others, /is of the account/);
});

test('a file keeps the days that it states, also if a line is booked before or after them', async (t) => {
  const service = await openAccount(shared);
  const customer = await service.newCustomer();
  await service.create(`${customer}/deposits`, { ...EUR('1250'), reference: 'rent' });
  const day = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
  const balance = (code: string, value: string, on: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${value}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${on}</Dt></Dt></Bal>`;
  /** With one entry of 1,250.00 if it is booked. */
  const camt = (period: string, booked?: number) => {
    const file = join(folder, `${Math.random()}.xml`);
    const entry = `<Ntry><Amt Ccy="EUR">1250.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>${day(booked ?? 0)}</Dt></BookgDt><NtryDtls><TxDtls><RmtInf><Ustrd>Rent</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
    writeFileSync(
      file,
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><FrToDt>${period}</FrToDt>
      <Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>${balance('OPBD', '0.00', today)}
      ${balance('CLBD', booked === undefined ? '0.00' : '1250.00', today)}${booked === undefined ? '' : entry}</Stmt></BkToCstmrStmt></Document>`,
    );
    return file;
  };
  const days = (from: number, to: number) => `<FrDt>${day(from)}</FrDt><ToDt>${day(to)}</ToDt>`;
  const run = async (...args: [file: string, ...more: string[]]) => {
    const { code, from, to, matched, onlyInLedger, currencies } = await reconcile(t, service.client.account_id, ...args);
    return [code, from, to, matched.length, onlyInLedger.length, currencies[0].unexplained];
  };
  const kept = join(folder, 'stated.json');
  assert.deepEqual(await run(camt(days(-20, 3)), '--save', kept), [1, day(-20), day(3), 0, 1, '0.00']);
  const next = camt(days(4, 20), -2);
  assert.deepEqual(await run(next, '--previous', kept), [0, day(4), day(20), 1, 0, '0.00'], 'the movement is carried');
  assert.deepEqual(await run(next, '--days', '2'), [0, day(4), day(20), 1, 0, '0.00'], 'the movement is near to the line');
  assert.deepEqual(await run(next, '--days', '1'), [1, day(4), day(20), 0, 0, '-1250.00'], 'and too far');
  assert.deepEqual(await run(camt(days(-20, -1), 0)), [0, day(-20), day(-1), 1, 0, '0.00'], 'booked after the last day');

  const times = camt(`<FrDtTm>${day(4)}T00:00:00+02:00</FrDtTm><ToDtTm>${day(20)}T23:59:59+02:00</ToDtTm>`);
  const args = ['reconcile', times, '--account', service.client.account_id, '--previous', kept];
  assertOneLine(await runCli(t, args, env), new RegExp(`the file begins on ${day(3)} in UTC: see --zone`), 1);
  assert.equal((await run(times, '--previous', kept, '--zone', 'Etc/GMT-2'))[1], day(4));
});

test('a period without movements is reconciled, whatever the format', async (t) => {
  const { account_id } = (await openAccount(shared)).client;
  const file = (name: string, ...lines: string[]) => {
    writeFileSync(join(folder, name), [...lines, ''].join('\n'));
    return join(folder, name);
  };
  const run = async (...args: [file: string, ...more: string[]]) => {
    const { code, from, to, matched, currencies } = await reconcile(t, account_id, ...args);
    return [code, from, to, matched.length, currencies[0].currency];
  };
  const midnight = `<FrToDt><FrDtTm>${today}T00:00:00</FrDtTm><ToDtTm>${today}T00:00:00</ToDtTm></FrToDt>`;
  const camt = fileOf('statement.camt053.xml', (text) =>
    text
      .replace(/<FrToDt>[\s\S]*<\/FrToDt>/, '')
      .replace('<Acct>', `${midnight}<Acct>`)
      .replace(/<Ntry>[\s\S]*<\/Ntry>/, '')
      .replace('1315.50', '0.00'),
  );
  assert.deepEqual(await run(camt), [0, today, today, 0, 'EUR']);
  const header = file('header.csv', 'date,amount,reference');
  const period = ['--from', '2026-09-01', '--to', '2026-09-30'];
  assert.deepEqual(await run(header, '--currency', 'EUR', ...period), [0, '2026-09-01', '2026-09-30', 0, 'EUR']);
  const split = ['--map', 'date=Day;credit=In;debit=Out;balance=Balance', '--currency', 'EUR'];
  const rows = ['Day,In,Out,Balance', ',,,0.00', '2026-09-02,5.00,,5.00', '2026-09-03,,5.00,0.00', '2026-09-30,,,0.00'];
  assert.deepEqual(await run(file('balances.csv', ...rows), ...split), [1, '2026-09-02', '2026-09-03', 0, 'EUR']);
  for (const [args, says, code] of [
    [[header, '--currency', 'EUR'], /The file has no lines: name the days that it covers/, 1],
    [[header, '--from', '2026-09-01'], /--from and --to are given together/, 2],
    [[header, '--from', '2026-09-31', '--to', '2026-10-01'], /as days such as/, 2],
    [[camt, ...period], /are for a CSV file/, 2],
    [[join(folder, 'balances.csv'), ...split, '--from', '2026-09-03', '--to', '2026-09-30'], /Line 3: .* is not within/, 1],
  ] as const)
    assertOneLine(await runCli(t, ['reconcile', ...args, '--account', account_id], env), says, code);
});

test('a movement between two files is listed, and one that was recorded late explains itself until its own period', async (t) => {
  const service = await openAccount(shared);
  const customer = await service.newCustomer();
  await service.create(`${customer}/deposits`, { ...EUR('100'), reference: 'late' });
  const day = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
  const run = async (name: string, days: [from: number, to: number], previous?: string) => {
    const [from, to] = days.map((one) => day(one).slice(2).replaceAll('-', ''));
    const line = previous ? [] : [`:61:${from}C100,NTRFNONREF`, ':86:late'];
    const text = [
      ':20:X',
      ':25:1203/1',
      ':28C:1/1',
      `:60F:C${from}EUR${previous ? '100' : '0'},`,
      ...line,
      `:62F:C${to}EUR100,`,
      '-',
      '',
    ];
    writeFileSync(join(folder, name), text.join('\n'));
    const kept = join(folder, `${name}.json`);
    const more = ['--days', '60', '--save', kept, ...(previous ? ['--previous', previous] : [])];
    return { ...(await reconcile(t, service.client.account_id, join(folder, name), ...more)), kept };
  };
  const first = await run('late-1.sta', [-45, -36]);
  assert.deepEqual(
    [first.code, first.matched.length, first.currencies[0].recordedLater],
    [0, 1, '100.00'],
    JSON.stringify(first),
  );
  const second = await run('late-2.sta', [-33, -26], first.kept);
  assert.deepEqual(
    [second.code, second.from, second.currencies[0].recordedLater],
    [0, day(-35), '100.00'],
    JSON.stringify(second),
  );
  const third = await run('late-3.sta', [-25, 0], second.kept);
  assert.deepEqual([third.code, third.onlyInLedger, third.currencies[0].recordedLater], [0, [], '0.00'], JSON.stringify(third));
});
