// Tests of creating customers: representation, first statuses, links and sealed data.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openCustomers } from '../../../test/support/customers.ts';
import {
  business,
  controller,
  corporation,
  type Fields,
  home,
  person,
  personal,
  soleProprietor,
  unverified,
} from '../../../test/support/data.ts';
import { allEvents } from '../../../test/support/events.ts';
import { idOf } from '../../../test/support/http.ts';
import { startService } from '../../../test/support/service.ts';

/** The changes that leave a member out: JSON omits undefined. */
const without = (...names: string[]): Fields => Object.fromEntries(names.map((name) => [name, undefined]));
// Shared by all tests of the file; each has its own account.
const shared = await startService({ after });

test('creates a customer of each type and omits sensitive data from the answer', async () => {
  const { create, get, url } = await openCustomers(shared);
  const forms: [form: Fields, answered: Fields][] = [
    [personal, { ...person, ...home, type: 'personal', status: 'verified' }],
    [
      soleProprietor,
      { ...person, ...home, ...business, type: 'business', businessType: 'soleProprietorship', status: 'verified' },
    ],
    [unverified, { ...unverified, status: 'unverified' }],
    [
      { ...corporation, controller: { ...controller, ssn: undefined, passport: { number: 'X1234567', country: 'CA' } } },
      {
        ...corporation,
        ...without('ein'),
        status: 'verified',
        controller: { firstName: 'Con', lastName: 'Troller', title: 'CEO', address: controller.address },
      },
    ],
  ];
  for (const [form, answered] of forms) {
    const location = await create(form);
    const { _links, id, created, ...rest } = await get(location);
    assert.equal(location, `${url}/customers/${id}`);
    assert.match(created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(_links.self.href, location);
    assert.deepEqual(rest, JSON.parse(JSON.stringify(answered)));
  }
});

test('stores optional members, treats blank ones as absent, and ignores unknown ones', async () => {
  const { create, get } = await openCustomers(shared);
  const extras = {
    address2: 'Suite 5',
    phone: '+1 (555) 123-4567',
    doingBusinessAs: 'Works',
    website: 'https://example.com/a?b',
  };
  const made = await get(await create({ ...corporation, ...extras, ipAddress: '192.0.2.1', zodiac: 'leo' }));
  assert.deepEqual({ ...made, ...extras }, made);
  assert.ok(!('zodiac' in made) && !('ipAddress' in made));
  const bare = await get(await create({ ...personal, address2: '', phone: ' ', businessName: 7, controller: 'none' }));
  for (const name of ['address2', 'phone', 'businessName', 'controller']) assert.ok(!(name in bare), name);
});

test('in the sandbox a name decides the status, and events report it', async () => {
  const { create, get, topics } = await openCustomers(shared);
  const topicOf: Record<string, string> = {
    verified: 'customer_verified',
    retry: 'customer_reverification_needed',
    document: 'customer_verification_document_needed',
    suspended: 'customer_suspended',
  };
  const made: [form: Fields, status: string][] = [
    [personal, 'verified'],
    [soleProprietor, 'verified'],
    [corporation, 'verified'],
    [{ ...corporation, firstName: 'retry' }, 'verified'],
    ...['retry', 'document', 'suspended'].flatMap((name): [Fields, string][] => [
      [{ ...personal, firstName: name }, name],
      [{ ...soleProprietor, firstName: name }, name],
      [{ ...soleProprietor, businessName: name }, name],
      [{ ...corporation, businessName: name }, name],
      [{ ...corporation, controller: { ...controller, firstName: name } }, name],
    ]),
  ];
  for (const [form, status] of made) {
    const url = await create(form);
    assert.equal((await get(url)).status, status);
    assert.deepEqual(await topics(url), ['customer_created', topicOf[status]]);
  }
  const url = await create({ ...unverified, firstName: 'retry' });
  assert.equal((await get(url)).status, 'unverified');
  assert.deepEqual(await topics(url), ['customer_created']);
});

test('in production a new customer needs a document', async (t) => {
  const { create, get, topics } = await openCustomers(await startService(t, { env: { MODE: 'production' } }));
  for (const form of [personal, soleProprietor, corporation, { ...personal, firstName: 'suspended' }]) {
    const url = await create(form);
    assert.equal((await get(url)).status, 'document');
    assert.deepEqual(await topics(url), ['customer_created', 'customer_verification_document_needed']);
  }
  assert.equal((await get(await create(unverified))).status, 'unverified');
});

test('seals sensitive data, and neither returns nor logs it', async () => {
  const { create, get, call, sql, logs, service } = await openCustomers(shared);
  const secrets = ['1969-08-07', '765432109', '98-7651234', 'PX99887766', '1968-07-06', '654-32-1098'];
  const [holderBorn, holderSsn, ein, number, born, ssn] = secrets;
  const passport = { number, country: 'CA' };
  const form = {
    ...corporation,
    dateOfBirth: holderBorn,
    ssn: holderSsn,
    ein,
    controller: { ...controller, dateOfBirth: born, ssn, passport },
  };
  const url = await create(form);
  const outputs = [
    JSON.stringify(await get(url)),
    JSON.stringify(await get('/customers')),
    (await call('POST', '/customers', { body: { ...form, email: 'x', ssn: `${holderSsn}0` } })).text,
    (await call('POST', url, { body: { phone: '5551234567' }, key: 'k' })).text,
    ...logs,
  ].join('\n');
  const stored = await sql<{ row: string }>`
    select c::text as row from customer c union all select event::text from ${await allEvents(sql)} union all select k::text from idempotency_key k`;
  const [sealed] = await sql<{ sealed: Buffer }>`select sealed from customer where id = ${idOf(url)}`;
  const everything = `${outputs}\n${stored.map(({ row }) => row).join('\n')}\n${sealed!.sealed.toString('latin1')}`;
  for (const secret of secrets) assert.ok(!everything.includes(secret!), secret);

  assert.deepEqual(JSON.parse(service.sealer.open(sealed!.sealed, `customer:${idOf(url)}`).toString()), {
    dateOfBirth: holderBorn,
    ssn: holderSsn,
    ein,
    controller: { dateOfBirth: born, ssn, passport },
  });

  const nothing = await sql`select 1 from customer where id = ${idOf(await create(unverified))} and sealed is null`;
  assert.equal(nothing.length, 1, 'an unverified customer has no sensitive data');
});

test('shows a link only while its action succeeds', async () => {
  const { create, get, change } = await openCustomers(shared);
  const linksOf = async (url: string) => Object.keys((await get(url))._links).sort();
  const always = ['balance', 'self'];
  const whileOpen = [...always, 'edit', 'suspend', 'deactivate'];
  const moving = ['labels', 'create-label', 'deposit', 'withdraw'];
  const owned = ['beneficial-owners', 'beneficial-ownership'];
  const url = await create(corporation);
  const { self, ...links } = (await get(url))._links;
  const toCertify = 'certify-beneficial-ownership';
  assert.deepEqual(await linksOf(url), [...whileOpen, ...moving, 'documents', ...owned, toCertify].sort());
  assert.deepEqual(links['create-label'], { href: `${url}/labels`, type: self.type, 'resource-type': 'label' });
  for (const action of ['edit', 'suspend', 'deactivate']) assert.deepEqual(links[action], self);

  await change(url, { status: 'suspended' });
  assert.deepEqual(await linksOf(url), [...always, 'deactivate', 'reactivate', 'deposit', 'documents', ...owned].sort());
  await change(url, { status: 'deactivated' });
  assert.deepEqual(await linksOf(url), [...always, 'reactivate', 'deposit', 'documents', ...owned].sort());

  assert.deepEqual(await linksOf(await create(personal)), [...whileOpen, ...moving, 'documents'].sort());
  assert.deepEqual(
    await linksOf(await create({ ...personal, firstName: 'document' })),
    [...whileOpen, 'documents', 'verify-with-document'].sort(),
  );
  assert.deepEqual(await linksOf(await create(unverified)), whileOpen.sort());
});

test('the balance gives the available, labelled and total amounts per currency', async () => {
  const { newCustomer, newLabel, get, call, create } = await openCustomers(shared);
  const url = await newCustomer({ available: '10.00' });
  await newLabel(url, '2.50');
  await newLabel(url, '1.25');
  await call('POST', `${url}/deposits`, { body: { amount: { value: '700', currency: 'JPY' } } });
  const amounts = (currency: string, total: string, available: string, labelled: string) => ({
    currency,
    total: { value: total, currency },
    available: { value: available, currency },
    labelled: { value: labelled, currency },
  });
  const { _links, balances } = await get(`${url}/balance`);
  assert.deepEqual(balances, [amounts('JPY', '700', '700', '0'), amounts('USD', '10.00', '6.25', '3.75')]);
  assert.deepEqual([_links.self.href, _links.customer.href], [`${url}/balance`, url]);
  assert.deepEqual((await get(`${await create(unverified)}/balance`)).balances, []);
});
