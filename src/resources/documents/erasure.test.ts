// Tests of erasing documents, and of the review commands with their record of views.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import type { Body } from '../../../test/support/http.ts';
import { idOf } from '../../../test/support/http.ts';
import { openKept } from '../../../test/support/kept-documents.ts';
import { CLI } from '../../../test/support/paths.ts';
import { runCli, scratch, settingsOf, start } from '../../../test/support/process.ts';

const DAY_MS = 24 * 3_600_000;
/** Who runs the commands. */
const person = { kind: 'person', name: userInfo().username, place: hostname() };
const ACTOR = `${person.name} (command line)`;

// Shared by tests without special settings; each creates its own owners.
const shared = await openKept({ after });

// For the tests of erasure and of the review queue, which cover all documents of a service.
const emptied = await openKept({ after }, { env: { DOCUMENT_RETENTION_DAYS: '30' } });

test('erases pictures after their retention: keys and bytes are deleted, the record and its decisions stay', async () => {
  const { newOwner, submitted, judge, get, erase, look, sql } = emptied;
  const owner = await newOwner();
  const [old, young, pending] = [await submitted(owner), await submitted(owner), await submitted(owner)];
  for (const document of [old, young]) await judge(document, 'rejected', ['ScanIdExpired']);
  const decidedOld = new Date(Date.now() - 5 * DAY_MS);
  await sql`update document set decided = ${decidedOld} where id = ${idOf(old)}`;
  assert.deepEqual(await erase(new Date()), { erased: 0, swept: 0 });
  const [before, history] = [await get(old), await get(`${old}/reviews`)];

  const due = new Date(decidedOld.getTime() + 30 * DAY_MS);
  assert.deepEqual(await erase(new Date(due.getTime() - 1)), { erased: 0, swept: 0 });
  assert.deepEqual(await erase(due), { erased: 1, swept: 0 });
  const [row] = await sql<Body>`select original_key, copy_key, content_mac, erased from document where id = ${idOf(old)}`;
  assert.deepEqual(row, { originalKey: null, copyKey: null, contentMac: null, erased: due });
  assert.equal((await sql`select 1 from document_content where document_id = ${idOf(old)}`).length, 0);
  assert.deepEqual([await get(old), await get(`${old}/reviews`)], [before, history]);
  assert.equal(await look(old), undefined);
  assert.ok((await look(young)) && (await look(pending)));
  assert.deepEqual(await erase(due), { erased: 0, swept: 0 });
  await judge(pending, 'rejected', ['ScanIdExpired']);
  assert.deepEqual(await erase(new Date(Date.now() + 1000 * DAY_MS)), { erased: 2, swept: 0 });
});

test('erases a document that nobody decided on as long after its upload, and its record says why', async () => {
  const { newOwner, submitted, get, erase, look, sql } = emptied;
  const owner = await newOwner();
  const document = await submitted(owner);
  const [{ created }] = (await sql`select created from document where id = ${idOf(document)}`) as [{ created: Date }];
  const due = new Date(created.getTime() + 30 * DAY_MS);
  assert.deepEqual(await erase(new Date(due.getTime() - 1)), { erased: 0, swept: 0 });
  assert.ok(await look(document));
  assert.deepEqual(await erase(due), { erased: 1, swept: 0 });
  assert.equal(await look(document), undefined);
  assert.equal((await sql`select 1 from document_content where document_id = ${idOf(document)}`).length, 0);
  const { documentVerificationStatus, failureReason } = await get(document);
  assert.deepEqual([documentVerificationStatus, failureReason], ['rejected', 'ScanNotUploaded']);
  const [review] = (await get(`${document}/reviews`))._embedded.reviews;
  assert.deepEqual([review.reviewer.name, review.decision, review.effective], ['retention', 'rejected', true]);
  assert.equal(review.note, 'Nobody decided on the document within 30 days. Its content was erased.');
  const topic = 'customer_beneficial_owner_verification_document_failed';
  const events = (await get('/events?limit=200'))._embedded.events as Body[];
  assert.ok(events.some((event) => event.topic === topic && event.resourceId === idOf(document)));
  assert.equal((await get(owner)).verificationStatus, 'document');
  await submitted(owner);
  assert.deepEqual(await erase(due), { erased: 0, swept: 0 });
  await erase(new Date(due.getTime() + 1000 * DAY_MS));
});

test('a short retention gives people thirty days for a decision', async (t) => {
  const { newOwner, submitted, judge, erase, look } = await openKept(t, { env: { DOCUMENT_RETENTION_DAYS: '0' } });
  const [decided, pending] = [await submitted(await newOwner()), await submitted(await newOwner())];
  await judge(decided, 'accepted');
  assert.deepEqual(await erase(new Date(Date.now() + 29 * DAY_MS)), { erased: 1, swept: 0 });
  assert.ok(!(await look(decided)) && (await look(pending)));
  assert.deepEqual(await erase(new Date(Date.now() + 31 * DAY_MS)), { erased: 1, swept: 0 });
});

test('documents erase erases one document, or all of a person, and writes to the audit log', async (t) => {
  const { newOwner, newCustomer, submitted, judge, get, look } = shared;
  const owner = await newOwner();
  const [accepted, pending] = [await submitted(owner), await submitted(owner)];
  await judge(accepted, 'accepted');
  const run = (...args: string[]) => runCli(t, args, settingsOf(shared));
  const refusals: [args: string[], code: number, message: RegExp][] = [
    [[idOf(accepted)], 2, /asks before it runs, .* Add --yes/],
    [['--yes'], 2, /Name one of DOCUMENT_ID, --owner and --customer/],
    [[idOf(accepted), '--owner', idOf(owner), '--yes'], 2, /Name one of/],
    [['01890000-0000-7000-8000-000000000000', '--yes'], 1, /There is no document/],
    [['--customer', idOf(owner), '--yes'], 1, /has no documents/],
  ];
  for (const [args, code, message] of refusals) {
    const refused = await run('documents', 'erase', ...args);
    assert.deepEqual([refused.code, message.test(refused.stderr)], [code, true], refused.stderr);
  }
  assert.ok(await look(accepted));
  const one = await run('documents', 'erase', idOf(accepted), '--yes', '--json');
  assert.deepEqual([one.stderr, JSON.parse(one.stdout)], ['', { erased: 1, erased_before: 0, on_hold: 0 }]);
  assert.ok(!(await look(accepted)) && (await look(pending)));
  assert.equal((await get(accepted)).documentVerificationStatus, 'accepted');
  assert.equal((await get(owner)).verificationStatus, 'verified');
  const rest = await run('documents', 'erase', '--owner', idOf(owner), '--yes', '--json');
  assert.deepEqual(JSON.parse(rest.stdout), { erased: 1, erased_before: 1, on_hold: 0 });
  assert.equal(await look(pending), undefined);
  const [review] = (await get(`${pending}/reviews`))._embedded.reviews;
  assert.deepEqual([review.reviewer, review.reasons], [person, ['ScanNotUploaded']]);
  assert.equal(review.note, 'The content of the document was erased on request.');
  const { entries } = JSON.parse((await run('audit-log', '--resource', idOf(pending), '--json')).stdout) as Body;
  assert.deepEqual(
    entries.map(({ action, person, detail }: Body) => [action, person, detail]),
    [['erase_document', ACTOR, { status: 'pending' }]],
  );
  const customer = await newCustomer({ firstName: 'document' });
  const own = await submitted(customer);
  const all = await run('documents', 'erase', '--customer', idOf(customer), '--yes');
  assert.match(all.stdout, /erased +1/);
  assert.equal(await look(own), undefined);
});

test('the job and the command erase more than one batch in one run', async (t) => {
  const { newOwner, submitted, judge, sql } = emptied;
  const document = idOf(await submitted(await newOwner()));
  await judge(`/documents/${document}`, 'rejected', ['ScanIdExpired']);
  await sql`
    insert into document
    select bucket, ('0190' || lpad(n::text, 4, '0') || '-0000-7' || substr(id::text, 16, 3) || '-8000-000000000000')::uuid, account_id, customer_id, owner_id, type, status,
      reasons, media_type, store, original_key, copy_key, content_mac, created, check_at, decided, erased
    from document, generate_series(1, 250) n where id = ${document}`;
  const run = () =>
    runCli(t, ['jobs', 'run', 'erase-documents', '--json'], { ...settingsOf(emptied), DOCUMENT_RETENTION_DAYS: '0' });
  const first = await run();
  assert.equal(first.code, 0, first.stderr);
  assert.deepEqual(JSON.parse(first.stdout), { erased: 251, swept: 0 });
  assert.deepEqual(JSON.parse((await run()).stdout), { erased: 0, swept: 0 });
  assert.equal((await runCli(t, ['jobs', 'run', 'nothing'], settingsOf(emptied))).code, 2);
});

test('the review commands list and show documents, and record each view', async (t) => {
  const { newOwner, submitted, judge, sql, dataDir } = emptied;
  const owner = await newOwner({ lastName: 'Lovelace' });
  const document = await submitted(owner, { documentType: 'license' });
  const run = (...args: string[]) => runCli(t, args, settingsOf(emptied));
  const listed = await run('review', 'list', '--json');
  assert.equal(listed.code, 0, listed.stderr);
  const [waiting] = (JSON.parse(listed.stdout) as Body).documents;
  assert.deepEqual(
    [waiting.document_id, waiting.type, waiting.of, waiting.name],
    [idOf(document), 'license', 'beneficial owner', 'document Lovelace'],
  );
  assert.match(
    (await run('review', 'list')).stdout,
    new RegExp(`^document_id +type +created +of +name\n${idOf(document)} .*license .*Lovelace\n$`),
  );

  const file = join(dataDir, 'shown.jpg');
  const shown = await run('review', 'show', idOf(document), '--file', file);
  assert.equal(shown.code, 0, shown.stderr);
  assert.equal((await sharp(await readFile(file)).metadata()).format, 'jpeg');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const looks = await sql<Body>`
    select document_id, viewer, place, created from document_look where document_id = ${idOf(document)}`;
  assert.deepEqual(
    looks.map(({ documentId, viewer, place }) => ({ documentId, viewer, place })),
    [{ documentId: idOf(document), viewer: person, place: hostname() }],
  );
  assert.ok(Math.abs(looks[0].created.getTime() - Date.now()) < 60_000);
  const looksOf = () => sql`select 1 from document_look where document_id = ${idOf(document)}`;
  for (const [name, message, code] of [
    ['shown.png', /^--file must end in \.jpg, \.jpeg, \.pdf, \.json, not \.png\.$/m, 2],
    ['shown.pdf', /^The copy of this document is image\/jpeg: name a file that ends in \.jpg\.$/m, 1],
  ] as const) {
    const wrong = await run('review', 'show', idOf(document), '--file', join(dataDir, name));
    assert.equal(wrong.code, code);
    assert.match(wrong.stderr, message);
    assert.ok(!existsSync(join(dataDir, name)));
  }
  assert.equal((await looksOf()).length, 1, 'a refused name is not an access');
  const over = await run('review', 'show', idOf(document), '--file', file);
  assert.deepEqual([over.code, over.stderr], [1, `${file} already exists.\n`]);
  await judge(document, 'accepted');
});

test('review show leaves no picture on disk without being asked, and records the access', async (t) => {
  const document = await emptied.submitted(await emptied.newOwner(), { documentType: 'license' });
  const cwd = scratch(t);
  const { code, stdout, stderr } = await runCli(t, ['review', 'show', idOf(document)], settingsOf(emptied), { cwd });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^evidence +not checked yet$/m);
  assert.deepEqual(await readdir(cwd), []);
  const [{ looks }] = (await emptied.sql<Body>`
    select count(*)::int as looks from document_look where document_id = ${idOf(document)}`) as [Body];
  assert.equal(looks, 1);
  await emptied.judge(document, 'accepted');
});

test('a legal hold keeps the content until it ends, whatever asks to erase it', async (t) => {
  const { submitted, newOwner, judge, erase, look, sql } = shared;
  const document = await submitted(await newOwner(), { documentType: 'license' });
  await judge(document, 'accepted');
  const hold = (...options: string[]) => runCli(t, ['documents', 'hold', idOf(document), ...options], settingsOf(shared));
  assert.equal((await hold()).code, 2, 'a hold has a reason');
  const held = await hold('--reason', 'Case 4711.');
  assert.equal(held.code, 0, held.stderr);
  const late = new Date(Date.now() + 10_000 * DAY_MS);
  await erase(late);
  const asked = await runCli(t, ['documents', 'erase', idOf(document), '--yes', '--json'], settingsOf(shared));
  assert.deepEqual(JSON.parse(asked.stdout), { erased: 0, erased_before: 0, on_hold: 1 });
  assert.ok(await look(document));
  assert.equal((await hold('--end', '--reason', 'Closed.')).code, 0);
  await erase(late);
  assert.equal(await look(document), undefined);
  const audit = await sql<Body>`
    select action, detail from audit_entry where resource_id = ${idOf(document)} and action like '%\\_document' order by id`;
  assert.deepEqual(
    audit.map(({ action, detail }) => [action, detail.reason]),
    [
      ['hold_document', 'Case 4711.'],
      ['release_document', 'Closed.'],
    ],
  );
});

test('review show writes the copy to standard output', async (t) => {
  const document = await emptied.submitted(await emptied.newOwner(), { documentType: 'license' });
  const file = join(emptied.dataDir, 'piped.jpg');
  const env = settingsOf(emptied);
  const line = `"$0" "$1" review show ${idOf(document)} --file - > ${file}`;
  const { code, stderr } = await start(t, ['sh', '-c', line, process.execPath, CLI], env).ended;
  assert.equal(code, 0, stderr);
  assert.equal((await sharp(await readFile(file)).metadata()).format, 'jpeg');
  assert.match(stderr, new RegExp(`^document_id +${idOf(document)}$`, 'm'));
  await emptied.judge(document, 'accepted');
});

test('the review commands reject and accept documents', async (t) => {
  const { newOwner, submitted, get } = emptied;
  const owner = await newOwner();
  const document = await submitted(owner, { documentType: 'license' });
  const run = (...args: string[]) => runCli(t, args, settingsOf(emptied));
  const refusals: [args: string[], message: RegExp, code?: number][] = [
    [['review'], /Use one of: earmark review list, earmark review show,/, 2],
    [['review', 'accept'], /^DOCUMENT_ID is missing\. Usage: earmark review accept DOCUMENT_ID \[--note TEXT\]$/m, 2],
    [['review', 'show', 'x'], /^There is no document x\.$/m],
    [['review', 'accept', '01890000-0000-7000-8000-000000000000'], /^There is no document/],
    [['review', 'reject', idOf(document)], /^A rejected document needs a reason\.$/m],
    [['review', 'reject', idOf(document), '--reason', 'Ugly'], /^--reason must be one of .*, not Ugly\.$/m, 2],
    [['review', 'reject', idOf(document), '--reason', 'BusinessNameMismatch'], /does not apply to documents of type license/],
  ];
  const refused = await Promise.all(refusals.map(([args]) => run(...args)));
  for (const [place, { code, stderr }] of refused.entries()) {
    const [args, message, wanted = 1] = refusals[place]!;
    assert.equal(code, wanted, args.join(' '));
    assert.match(stderr, message);
  }
  const rejected = await run(
    'review',
    'reject',
    idOf(document),
    '--reason',
    'ScanIdExpired',
    '--reason',
    'ScanNotReadable',
    '--note',
    'dark',
  );
  assert.equal(rejected.code, 0, rejected.stderr);
  const { failureReason, allFailureReasons } = await get(document);
  assert.deepEqual([failureReason, allFailureReasons.length], ['ScanNotReadable', 2]);
  const [review] = (await get(`${document}/reviews`))._embedded.reviews;
  assert.deepEqual([review.reviewer, review.note], [person, 'dark']);
  const shown = await run('review', 'show', idOf(document), '--json');
  assert.deepEqual(JSON.parse(shown.stdout).record, { firstName: 'document', lastName: 'Example' });
  const twice = await run('review', 'accept', idOf(document));
  assert.deepEqual([twice.code, twice.stderr], [1, 'The document has been decided already.\n']);
  assert.equal((await run('review', 'show', idOf(document), '--file', join(emptied.dataDir, 'kept.jpg'))).code, 0);
  const { entries } = JSON.parse((await run('audit-log', '--resource', idOf(document), '--json')).stdout) as Body;
  assert.deepEqual(
    entries.map((entry: Body) => [entry.action, entry.person, entry.detail.decision, entry.detail.reasons]),
    [
      ['look_at_document', ACTOR, undefined, undefined],
      ['review_document', ACTOR, 'rejected', ['ScanIdExpired', 'ScanNotReadable']],
    ],
  );

  const better = await submitted(owner);
  assert.equal((await run('review', 'accept', idOf(better), '--json')).code, 0);
  assert.equal((await get(owner)).verificationStatus, 'verified');
  assert.equal((await run('review', 'list')).stdout, 'No document needs a decision.\n');
});

test('shows a PDF with a warning, and refuses an erased document', async (t) => {
  const { newOwner, submitted, judge, erase, dataDir } = shared;
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF');
  const document = await submitted(await newOwner(), { documentType: 'other', file: pdf });
  const file = join(dataDir, 'shown.pdf');
  const shown = await runCli(t, ['review', 'show', idOf(document), '--file', file], settingsOf(shared));
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stderr, /This PDF is the submitted file/);
  assert.deepEqual(await readFile(file), pdf);
  await judge(document, 'rejected', ['BusinessDocNotSupported']);
  await erase(new Date(Date.now() + 10_000 * DAY_MS));
  const gone = await runCli(t, ['review', 'show', idOf(document)], settingsOf(shared));
  assert.deepEqual([gone.code, gone.stderr], [1, 'The content of this document has been erased.\n']);
});
