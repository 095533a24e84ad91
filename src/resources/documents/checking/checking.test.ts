// Tests of document checkers: the sandbox script, resumption after a restart, and several checkers.
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { useCheckers } from '../../../../test/support/checkers.ts';
import type { Body } from '../../../../test/support/http.ts';
import { idOf } from '../../../../test/support/http.ts';
import { startService } from '../../../../test/support/service.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';
import { bucketOf } from '../../../core/ids.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { REASONS } from '../reason.ts';
import type { Checker } from './checker.ts';
import { openChecking } from './checking.ts';

const quick = { SANDBOX_REVIEW_DELAY_MS: '0' };
// Shared by the tests that need no special checkers; each creates its own owners.
/** What is enough to accept here. */
const TEXT: Evidence = { level: 'text', parts: [] };
const production = await openUploads({ after }, { env: { MODE: 'production', AUTO_DECIDE: 'accept-text,reject' } });

test('the script accepts, rejects, and gives every reason, alone and combined, any number of times', async (t) => {
  const { newOwner, newCustomer, submitted, get } = await openUploads(t, { env: { ...quick, FOREIGN_PASSPORTS: 'forbidden' } });
  const outcome = async (whose: string, documentType = 'passport') => {
    const document = await submitted(whose, { documentType });
    const { documentVerificationStatus, failureReason, allFailureReasons } = await waitUntil(
      'the check has a result',
      async () => {
        const seen = await get(document);
        return seen.status === 'reviewed' && seen;
      },
    );
    return [documentVerificationStatus, failureReason, allFailureReasons?.map((one: Body) => one.reason)];
  };
  for (const reason of REASONS) {
    const documentType = reason.startsWith('Business') ? 'other' : 'passport';
    assert.deepEqual(await outcome(await newOwner({ lastName: reason }), documentType), ['rejected', reason, [reason]]);
  }
  const rejected = await newOwner({ lastName: 'Rejected' });
  for (let again = 0; again < 6; again++) {
    assert.deepEqual(await outcome(rejected), ['rejected', 'ScanFailedOther', ['ScanFailedOther']]);
  }
  const several = await newOwner({ lastName: 'ScanIdExpired-ScanNotReadable-ScanDobMismatch' });
  const reasons = ['ScanNotReadable', 'ScanDobMismatch', 'ScanIdExpired'];
  assert.deepEqual(await outcome(several), ['rejected', 'ScanNotReadable', reasons]);
  const accepted = await newOwner({ lastName: 'Accepted' });
  assert.deepEqual(await outcome(accepted), ['accepted', undefined, undefined]);
  assert.equal((await get(accepted)).verificationStatus, 'verified');
  const customer = await newCustomer({ firstName: 'document', lastName: 'Accepted' });
  assert.deepEqual(await outcome(customer), ['accepted', undefined, undefined]);
  assert.equal((await get(customer)).status, 'verified');
});

test('the script leaves any other name undecided, with a record of the checker', async (t) => {
  const { newOwner, submitted, get, judge } = await openUploads(t, { env: { ...quick, DOCUMENT_CHECKERS: 'off' } });
  for (const lastName of [
    'Example',
    'accepted',
    'Accepted-Rejected',
    'ScanIdExpired-Smith',
    'BusinessNameMismatch',
    'ForeignPassportNotAllowed',
  ]) {
    const document = await submitted(await newOwner({ lastName }));
    const [review] = await waitUntil('the check is recorded', async () => {
      const { _embedded } = await get(`${document}/reviews`);
      return _embedded.reviews.length > 0 && _embedded.reviews;
    });
    assert.deepEqual(review.reviewer, { kind: 'checker', name: 'scripted', version: '3', lookedAt: ['lastName'] });
    assert.deepEqual([review.decision, review.reasons], ['undecided', []], lastName);
    assert.equal((await get(document)).status, 'pending');
    assert.equal((await judge(document, 'rejected', ['ScanFailedOther'])).status, 201);
    assert.equal((await get(`${document}/reviews`)).total, 2);
  }
});

test('a check takes as long as configured by the clock of the account, and a pending check resumes after a restart', async (t) => {
  const slow = await openUploads(t, { env: { SANDBOX_REVIEW_DELAY_MS: '86400000' } });
  const document = await slow.submitted(await slow.newOwner({ lastName: 'Accepted' }));
  const [{ wait }] = (await slow.sql`
    select extract(epoch from check_at - created)::int as wait from document where id = ${idOf(document)}`) as [{ wait: number }];
  assert.equal(wait, 86_400);
  assert.equal((await slow.get(document)).status, 'pending');
  await slow.stop();
  const again = await startService(t, { env: { PUBLIC_URL: slow.url }, beside: slow });
  await again.call('POST', '/sandbox/clock', { token: slow.token, body: { advanceSeconds: 86_400 } });
  const token = await again.tokenOf(slow.client);
  await waitUntil(
    'the document is reviewed',
    async () => (await again.call('GET', document, { token })).body.status === 'reviewed',
  );
});

test('there is no script in production', async () => {
  const { newOwner, submitted, sql } = production;
  const document = await submitted(await newOwner({ lastName: 'Accepted' }));
  assert.deepEqual(await sql`select check_at from document where id = ${idOf(document)}`, [{ checkAt: null }]);
});

/** Lets the check of a document fall due now. */
async function makeDue(sql: Sql, document: string): Promise<void> {
  const id = idOf(document);
  await sql`update document set check_at = ${new Date()} where bucket = ${bucketOf(id)} and id = ${id}`;
}

const withCheckers = (t: TestContext, ...checkers: Checker[]) => useCheckers(t, production, checkers);

const checker = (name: string, check: Checker['check']): Checker => ({ name, version: '2.1', check });

test('asks every checker, decides what all agree on, and records what each saw', async (t) => {
  const asked: string[] = [];
  const { newOwner, submitted, get, sql } = withCheckers(
    t,
    checker('first', async ({ document: { type }, person, copy }) => {
      asked.push(`first ${type} ${person.lastName} ${(await copy())!.toString('hex', 0, 3)}`);
      return { decision: 'rejected', reasons: ['ScanNameMismatch'], lookedAt: ['copy', 'mrz'] };
    }),
    checker('second', async () => {
      asked.push('second');
      return { decision: 'rejected', reasons: ['ScanNotReadable'], lookedAt: ['lastName'] };
    }),
  );
  const document = await submitted(await newOwner({ lastName: 'Turing' }));
  await waitUntil('the document is reviewed', async () => (await get(document)).status === 'reviewed');
  assert.deepEqual(asked, ['first passport Turing ffd8ff', 'second']);
  const { runs } = production.service.metrics.documentChecks;
  assert.equal(runs({ checker: 'first', outcome: 'rejected' }).total(), 1);
  assert.equal(runs({ checker: 'second', outcome: 'rejected' }).total(), 1);
  assert.equal((await get(document)).failureReason, 'ScanNotReadable');
  const { _embedded } = await get(`${document}/reviews`);
  const reviewer = (name: string, lookedAt: string[]) => ({ kind: 'checker', name, version: '2.1', lookedAt });
  assert.deepEqual(
    _embedded.reviews.map(({ reviewer, decision, reasons, effective }: Body) => [reviewer, decision, reasons, effective]),
    [
      [reviewer('second', ['lastName']), 'rejected', ['ScanNotReadable', 'ScanNameMismatch'], true],
      [reviewer('first', ['copy', 'mrz']), 'rejected', ['ScanNameMismatch'], true],
    ],
  );
  const looks = await sql<Body>`
    select viewer->>'name' as name, document_id as id from document_look where document_id = ${idOf(document)}`;
  assert.deepEqual(looks, [{ name: 'first', id: idOf(document) }]);
});

test('a checker that fails, or rejects with an invalid reason, leaves the document undecided', async (t) => {
  const { newOwner, submitted, get, lines } = withCheckers(
    t,
    checker('broken', async () => {
      throw new Error('out of order');
    }),
    checker('confused', async () => ({ decision: 'rejected', reasons: ['BusinessTypeMismatch'], lookedAt: ['colour'] })),
  );
  const document = await submitted(await newOwner());
  const reviews = await waitUntil('both reviews are stored', async () => {
    const { _embedded } = await get(`${document}/reviews`);
    return _embedded.reviews.length === 2 && _embedded.reviews;
  });
  assert.deepEqual(
    reviews.map(({ decision }: Body) => decision),
    ['undecided', 'undecided'],
  );
  assert.equal((await get(document)).status, 'pending');
  assert.ok(lines.some((line) => line.includes('out of order')));
  assert.equal(production.service.metrics.documentChecks.runs({ checker: 'broken', outcome: 'failed' }).total(), 1);
});

test("a person's decision wins over a slower checker", async (t) => {
  const { promise: waiting, resolve: go } = Promise.withResolvers<void>();
  let asked = false;
  const { newOwner, submitted, get, judge, lines } = withCheckers(
    t,
    checker('slow', async () => {
      asked = true;
      await waiting;
      return { decision: 'accepted', evidence: TEXT, lookedAt: [] };
    }),
  );
  const owner = await newOwner();
  const document = await submitted(owner);
  await waitUntil('the checker is asked', async () => asked);
  assert.equal((await judge(document, 'rejected', ['ScanIdExpired'])).status, 201);
  go();
  const next = await submitted(await newOwner());
  await waitUntil('the next document is reviewed', async () => (await get(next)).status === 'reviewed');
  assert.equal((await get(document)).documentVerificationStatus, 'rejected');
  assert.equal((await get(`${document}/reviews`)).total, 1);
  assert.equal((await get(owner)).verificationStatus, 'document');
  assert.deepEqual(lines, [], 'a late result of a checker is not a failure');
});

test('two processes check each document once, and those of an account one at a time', async (t) => {
  let [asked, atOnce] = [0, 0];
  const count = checker('counting', async ({ document }) => {
    asked++;
    assert.equal(++atOnce, 1, 'one document of an account at a time');
    await sql`select 1 from document where id = ${document.id}`.finally(() => atOnce--);
    return { decision: 'undecided', lookedAt: [] };
  });
  const { newOwner, submitted, sql, service, get } = production;
  const owner = await newOwner();
  const documents = [await submitted(owner), await submitted(owner), await submitted(owner)];
  for (const document of documents) await makeDue(sql, document);
  const tools = {
    config: service.config,
    database: service.database,
    sealer: service.sealer,
    stores: service.documents.stores,
    log: service.log,
    clock: service.clock,
    metrics: service.metrics,
  };
  const both = [openChecking(tools, [count], 0), openChecking(tools, [count], 0)];
  t.after(() => Promise.all(both.map((one) => one.close())));
  for (const document of documents)
    await waitUntil('the document has a review', async () => (await get(`${document}/reviews`)).total > 0);
  await Promise.all(both.map((one) => one.close()));
  assert.equal(asked, 3);
  for (const document of documents) assert.equal((await get(`${document}/reviews`)).total, 1);
});

test('a service that stops ends its checkers, and the next one asks them again', async () => {
  const { newOwner, submitted, sql, service, get } = production;
  const document = await submitted(await newOwner());
  const due = new Date();
  await sql`update document set check_at = ${due} where bucket = ${bucketOf(idOf(document))} and id = ${idOf(document)}`;
  const { config, database, sealer, documents, log, clock, metrics } = service;
  const tools = { config, database, sealer, stores: documents.stores, log, clock, metrics };
  const { promise: answered, resolve: end } = Promise.withResolvers<void>();
  let asked = false;
  const hanging: Checker = {
    ...checker('hanging', async () => {
      asked = true;
      await answered;
      return { decision: 'accepted', evidence: TEXT, lookedAt: [] };
    }),
    close: end,
  };
  const checking = openChecking(tools, [hanging], 0);
  await waitUntil('the checker is asked', async () => asked);
  await checking.close();
  assert.deepEqual(await sql`select check_at, status from document where id = ${idOf(document)}`, [
    { checkAt: due, status: 'pending' },
  ]);
  assert.equal((await get(`${document}/reviews`)).total, 0);
  await sql`update document set check_at = null where bucket = ${bucketOf(idOf(document))} and id = ${idOf(document)}`;
});

test('a check that a process did not finish is released after its lease', async () => {
  const { newOwner, submitted, sql, service, get } = production;
  const document = await submitted(await newOwner());
  await makeDue(sql, document);
  const { config, database, sealer, documents, log, clock, metrics } = service;
  const tools = { config, database, sealer, stores: documents.stores, log, clock, metrics };
  const { promise: never, resolve: go } = Promise.withResolvers<void>();
  let asked = false;
  const stuck = checker('stuck', async () => {
    asked = true;
    await never;
    return { decision: 'undecided', lookedAt: [] };
  });
  const first = openChecking(tools, [stuck], 0);
  await waitUntil('the checker is asked', async () => asked);
  const [row] = await sql<{ checkAt: Date }>`select check_at from document where id = ${idOf(document)}`;
  const leaseMs = row!.checkAt.getTime() - Date.now();
  assert.ok(leaseMs > 4 * 60_000 && leaseMs <= 5 * 60_000, String(leaseMs));
  await makeDue(sql, document);
  const tookOver = openChecking(tools, [stuck], 0);
  await tookOver.close();
  assert.equal((await get(`${document}/reviews`)).total, 0, 'the account is leased');
  await sql`update document_check_lease set until = now()`;
  const second = openChecking(tools, [checker('well', async () => ({ decision: 'accepted', evidence: TEXT, lookedAt: [] }))], 0);
  await waitUntil('the document is reviewed', async () => (await get(document)).status === 'reviewed');
  await second.close();
  go();
  const next = await submitted(await newOwner());
  await makeDue(sql, next);
  first.wake();
  await waitUntil('the first process goes on', async () => (await get(`${next}/reviews`)).total > 0);
  await first.close();
  assert.equal((await get(`${document}/reviews`)).total, 1, 'a result that comes after the lease is not recorded');
});
