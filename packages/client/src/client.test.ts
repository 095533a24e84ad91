// Tests of the client against a running service: calls, links, lists, uploads and errors.
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { problems } from '../../../src/core/problems.ts';
import { customerForm, ownerForm, usd } from '../../../test/support/data.ts';
import { readPdf } from '../../../test/support/pdf.ts';
import { picture } from '../../../test/support/pictures.ts';
import { startService } from '../../../test/support/service.ts';
import {
  BadRequestError,
  ConflictError,
  type Customer,
  DuplicateResourceError,
  Earmark,
  EarmarkError,
  errorClasses,
  LinkError,
  NotFoundError,
  TokenRefusedError,
  ValidationError,
} from './client.ts';
import { fileAt } from './files.ts';

const service = await startService({ after }, { env: { SANDBOX_REVIEW_DELAY_MS: '86400000' } });
const { client_id, client_secret } = service.client;
const earmark = new Earmark({ url: service.url, clientId: client_id, clientSecret: client_secret });
const customer = await service.newCustomer({ available: '1000.00' });

test('creates a reallocation and follows links to its two ledger entries', async () => {
  const created = await earmark.customers.create({ ...customerForm(), type: 'business', businessType: 'soleProprietorship' });
  await earmark.deposits.create(created, { amount: usd('100.00'), reference: 'wire 4711' });
  const from = await earmark.labels.create(created, { amount: usd('60.00'), name: 'Operating' });
  const to = await earmark.labels.create(created.id, { amount: usd('0') });

  const made = await earmark.labelReallocations.create({ from, to: to.id, amount: usd('25.00'), reference: 'May' });
  assert.equal(made.location, `${service.url}/label-reallocations/${made.id}`);
  assert.equal(made.replayed, false);

  const reallocation = await earmark.labelReallocations.get(made);
  assert.deepEqual(reallocation.amount, usd('25.00'));
  const entry = await earmark.follow(reallocation, 'to-ledger-entry');
  assert.equal(entry.balance.value, '25.00');
  assert.equal((await earmark.follow(entry, 'label')).id, to.id);
  assert.equal((await earmark.labels.get(await earmark.follow(reallocation, 'from'))).amount.value, '35.00');
  const { balances } = await earmark.customers.balance(created);
  assert.deepEqual(balances, [{ currency: 'USD', total: usd('100.00'), available: usd('40.00'), labelled: usd('60.00') }]);
});

test('returns the new resource with the option representation', async () => {
  const made = await earmark.labels.create(customer, { amount: usd('1.00'), name: 'Tax' }, { representation: true });
  assert.deepEqual(made.body, await earmark.labels.get(made));
  assert.equal(made.body?.amount.value, '1.00');
  const plain = await earmark.labels.create(customer, { amount: usd('0') });
  assert.equal(plain.body, undefined);
});

test('reads the past, lists by time, and a statement', async () => {
  const made = await earmark.customers.create({ ...customerForm(), type: 'business', businessType: 'soleProprietorship' });
  const deposit = await earmark.deposits.get(await earmark.deposits.create(made, { amount: usd('100.00') }));
  const label = await earmark.labels.create(made, { amount: usd('60.00'), name: 'Tax' });
  const withdrawal = await earmark.withdrawals.create(made, { amount: usd('5.00') });
  const { balances } = await earmark.customers.balance(made, { at: deposit.created });
  assert.equal(balances[0]!.currency, 'USD');
  assert.equal((await earmark.labels.balance(label, { at: '2020-01-01T00:00:00Z' })).balance.value, '0.00');
  assert.equal((await earmark.labels.balance(label)).sequence, 1);
  const kinds = (await earmark.transfers.list(made, { limit: 1 }).all()).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['withdrawal', 'label', 'deposit']);
  assert.deepEqual(await earmark.deposits.list(made, { createdBefore: deposit.created }).all(), []);
  assert.deepEqual(
    (await earmark.withdrawals.list(made).all()).map(({ id }) => id),
    [withdrawal.id],
  );
  const month = deposit.created.slice(0, 7);
  const statement = await earmark.statements.get(made, { month, label: label.id });
  assert.deepEqual(
    statement.accounts.map(({ name, closing }) => [name, closing.value]),
    [['Tax', '60.00']],
  );
  const [entry] = statement.accounts[0]!._embedded['ledger-entries'];
  assert.equal((await earmark.follow(entry!, 'self')).id, entry!.id);
  assert.match(await earmark.statements.csv(made, { month, zone: 'Europe/Berlin' }), /^type,currency,label,/);
  const file = await earmark.statements.pdf(made, { month, label: label.id });
  assert.equal(file.type, 'application/pdf');
  const pages = await readPdf(new Uint8Array(await file.arrayBuffer()));
  assert.match(pages[0]!.text, /Tax[\s\S]*60\.00/);
  await assert.rejects(earmark.statements.pdf(made, { month: '2999-01' }), NotFoundError);
});

test('lists a customer in retry by several statuses, and resubmits it', async () => {
  const form = { ...customerForm(), type: 'business', businessType: 'soleProprietorship', businessName: 'retry' } as const;
  const made = await earmark.customers.create(form);
  const waiting: object = { status: ['document', 'retry'] };
  const ids = async () => (await earmark.customers.list(waiting).all()).map(({ id }) => id);
  assert.ok((await ids()).includes(made.id));
  const { status } = await earmark.customers.update(made, { ...form, businessName: 'Works' });
  assert.equal(status, 'verified');
  assert.ok(!(await ids()).includes(made.id));
});

test('fetches the pages of a list only as far as it is iterated', async () => {
  const label = await earmark.labels.create(customer, { amount: usd('0') });
  for (let cents = 1; cents <= 5; cents += 1) await earmark.ledgerEntries.create(label, { amount: usd(`0.0${cents}`) });

  const paths: string[] = [];
  const watched = new Earmark({
    ...credentials(),
    fetch: (url, init) => {
      paths.push(String(url));
      return fetch(url, init);
    },
  });
  const list = watched.ledgerEntries.list(label, { limit: 2 });
  const values: string[] = [];
  for await (const { amount } of list) {
    values.push(amount.value);
    if (values.length === 3) break;
  }
  assert.deepEqual(values, ['0.05', '0.04', '0.03']);
  assert.equal(paths.filter((url) => url.includes('limit=2')).length, 2);

  assert.deepEqual(
    (await list.all()).map(({ sequence }) => sequence),
    [5, 4, 3, 2, 1],
  );
  const page = await list.page();
  assert.deepEqual([page.elements.length, page.total, page.hasNext], [2, 5, true]);
  const found = await earmark.customers.list({ email: (await earmark.customers.get(customer)).email }).all();
  assert.deepEqual(
    found.map(({ id }) => id),
    [customer.split('/').at(-1)],
  );
  const labels = await earmark.each(await earmark.customers.get(customer), 'labels').all();
  assert.ok(labels.some(({ id }) => id === label.id));
});

test('the error for a missing link names the links that are present', async () => {
  const label = await earmark.labels.get(await earmark.labels.create(customer, { amount: usd('0') }));
  const removed = await earmark.labels.remove(label);
  assert.equal(removed.id, label.id);
  const root = await earmark.root();
  assert.ok((await earmark.follow(root, 'account')).name);
  const personal = { _links: { self: label._links.self } } as unknown as Customer;
  assert.throws(
    () => earmark.each(personal, 'labels'),
    new LinkError(`/labels/${label.id} has no link labels now. It has self.`),
  );
});

test('uploads a document from bytes, a blob, either kind of stream, or a file', async () => {
  const path = join(service.dataDir, 'scan.jpg');
  const sources = {
    buffer: async () => picture(),
    blob: async () => new Blob([new Uint8Array(await picture())]),
    'web stream': async () => new Blob([new Uint8Array(await picture())]).stream(),
    iterable: async () => Readable.from([await picture()]),
    file: async () => {
      await writeFile(path, await picture());
      return fileAt(path);
    },
    'stream of a file': async () => {
      await writeFile(path, await picture());
      return createReadStream(path);
    },
  };
  for (const [name, source] of Object.entries(sources)) {
    const form = { ...ownerForm, firstName: 'document' };
    const business = await service.newCustomer();
    const owner = await earmark.beneficialOwners.create(business, form);
    const submitted = await earmark.documents.submit(owner, { type: 'passport', file: await source() });
    assert.equal((await earmark.documents.get(submitted)).type, 'passport', name);
    const reviewed = await earmark.documents.review(submitted, { decision: 'accepted' });
    assert.equal((await earmark.reviews.get(reviewed)).decision, 'accepted');
    assert.equal((await earmark.beneficialOwners.get(owner)).verificationStatus, 'verified');
    const [listed] = await earmark.documents.list(owner).all();
    assert.equal(listed?.documentVerificationStatus, 'accepted');
  }
  await assert.rejects(fileAt('no-such-file.png'), /ENOENT.*no-such-file\.png/);
  await assert.rejects(
    earmark.documents.submit(customer.split('/').at(-1)!, { type: 'passport', file: await picture() }),
    /^TypeError: Documents belong to a customer or a beneficial owner: reference it by URL, not by id\.$/,
  );
});

test('an upload repeated with the same key gives one document; another key throws DuplicateResource, which names the document', async () => {
  const waiting = await service.newCustomer({ form: { firstName: 'document' } });
  const file = await picture();
  const first = await earmark.documents.submit(waiting, { type: 'idCard', file }, { idempotencyKey: 'upload-1' });
  const again = await earmark.documents.submit(waiting, { type: 'idCard', file }, { idempotencyKey: 'upload-1' });
  assert.deepEqual(again, { ...first, replayed: true });
  await assert.rejects(earmark.documents.submit(waiting, { type: 'idCard', file }), (error) => {
    assert.ok(error instanceof DuplicateResourceError);
    return error.about === first.location;
  });
});

test('stops reading a stream that exceeds the size limit', async () => {
  const waiting = await service.newCustomer({ form: { firstName: 'document' } });
  let chunks = 0;
  async function* endless() {
    for (;;) {
      chunks += 1;
      yield new Uint8Array(2 ** 20);
    }
  }
  await assert.rejects(earmark.documents.submit(waiting, { type: 'license', file: endless() }), { code: 'FileTooLarge' });
  assert.equal(chunks, 11);
});

test('throws an error of the class of its code, with the request, every fault and the request id in the message', async () => {
  const label = await earmark.labels.create(customer, { amount: usd('10.00') });
  const other = await earmark.labels.create(customer, { amount: usd('0') });
  const refused = await caught(earmark.labelReallocations.create({ from: label, to: other, amount: usd('10.01') }));
  assert.ok(refused instanceof ValidationError);
  assert.ok(refused.has('InsufficientFunds', '/amount/value'));
  assert.ok(!refused.has('InsufficientFunds', '/amount/currency'));
  assert.match(
    refused.message,
    /^POST \/label-reallocations: .*10\.00.* \[\/amount\/value\] \(400 ValidationError, request [0-9a-f-]{36}\)$/,
  );
  assert.equal(refused.name, 'ValidationError');

  const several = await caught(
    earmark.customers.create({ ...customerForm(), type: 'personal', firstName: '', email: 'none' } as never),
  );
  assert.ok(several instanceof ValidationError);
  assert.match(several.message, /\[\/firstName\].*\[\/email\]/);

  const incomplete = await caught(earmark.labels.create(customer, { amount: { value: 10 } } as never));
  assert.ok(incomplete instanceof BadRequestError);
  assert.ok(incomplete.has('Invalid', '/amount/value') && incomplete.has('Required', '/amount/currency'), incomplete.message);
  assert.match(incomplete.message, /Amount value must be a string such as "10\.00"\. \[\/amount\/value\]/);

  const missing = await caught(earmark.labels.get('01890000-0000-7000-8000-000000000000'));
  assert.ok(missing instanceof NotFoundError);
  assert.match(missing.message, /^GET \/labels\/01890000-0000-7000-8000-000000000000: .* \(404 NotFound, request /);

  const key = { idempotencyKey: 'used twice' };
  await earmark.labels.create(customer, { amount: usd('1.00') }, { idempotencyKey: 'used-twice' });
  const conflict = await caught(earmark.labels.create(customer, { amount: usd('2.00') }, { idempotencyKey: 'used-twice' }));
  assert.ok(conflict instanceof ConflictError);
  assert.match(conflict.about!, /\/labels\//);
  await assert.rejects(earmark.labels.create(customer, { amount: usd('2.00') }, key), { code: 'BadRequest' });

  const stranger = new Earmark({ ...credentials(), clientSecret: 'wrong' });
  const closed = await caught(stranger.root());
  assert.ok(closed instanceof TokenRefusedError);
  assert.match(closed.message, /^POST \/token: Client authentication failed\. \(401 InvalidClient/);
});

test('refuses a reference of another type before sending anything', async () => {
  await assert.rejects(earmark.labels.get(customer), new TypeError(`Not a reference to one of labels: ${customer}`));
  await assert.rejects(earmark.labels.get('label'), new TypeError('Not a reference to one of labels: label'));
});

test('sends a URL with another host to its own service only', async () => {
  const elsewhere = customer.replace(service.url, 'https://elsewhere.example');
  assert.equal((await earmark.customers.get(elsewhere)).id, customer.split('/').at(-1));
});

test('does not send its token to a link that is not an HTTP URL', async () => {
  const hosts = new Set<string>();
  const { client_id: clientId, client_secret: clientSecret } = service.client;
  const watched: typeof fetch = async (url, init) => {
    hosts.add(new URL(String(url)).host);
    return fetch(String(url).startsWith(`${service.url}/`) ? url : service.url, init);
  };
  const careful = new Earmark({ url: service.url, clientId, clientSecret, fetch: watched });
  for (const href of ['x:.evil.example/steal', 'x:@evil.example/steal', 'mailto:9', 'data:,x', '/labels', '']) {
    const refused = new TypeError(`Not an http or https URL: ${href}`);
    await assert.rejects(careful.follow({ _links: { account: { href } } }, 'account'), refused);
    assert.throws(() => careful.each({ _links: { labels: { href } } }, 'labels'), refused);
  }
  for (const href of ['https://evil.example//evil.example/', 'https://evil.example/\\\\evil.example'])
    await assert.rejects(careful.follow({ _links: { account: { href } } }, 'account'), NotFoundError);
  assert.deepEqual([...hosts], [new URL(service.url).host]);
});

test('every error code of the service has a class', () => {
  for (const { code } of Object.values(problems)) {
    assert.ok(errorClasses[code], code);
    assert.ok([`${code}Error`, code].includes(errorClasses[code].name), `${code}: ${errorClasses[code].name}`);
  }
});

function credentials() {
  const { client_id, client_secret } = service.client;
  return { url: service.url, clientId: client_id, clientSecret: client_secret };
}

async function caught(work: Promise<unknown>): Promise<EarmarkError> {
  const error = await work.then(
    () => assert.fail('the call was not refused'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof EarmarkError);
  return error;
}
