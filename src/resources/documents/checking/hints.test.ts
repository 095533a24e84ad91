// Tests of hints about pictures: shown with the evidence to reviewers and in the API, and never a reason for a decision.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { inventHolder } from '../../../../packages/document-reader/specimens/holder.ts';
import { segment, withMetadata } from '../../../../packages/document-reader/specimens/metadata.ts';
import { drawPage, inventLayout } from '../../../../packages/document-reader/specimens/second-drawer.ts';
import { zoneLines } from '../../../../packages/document-reader/specimens/zone-lines.ts';
import { type Body, idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { runCli, runCliJson, settingsOf } from '../../../../test/support/process.ts';
import { openRandom } from '../../../../test/support/random.ts';
import { TODAY } from '../../../../test/support/specimen-pictures.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const env = { DOCUMENT_CHECKERS: 'reader', AUTO_DECIDE: 'accept-text', MODE: 'production' };
const shared = await openUploads({ after }, { env });
const { newOwner, submitted, get, sql } = shared;

let seed = 0;
/** A page of the second drawer, flat and clear, and the person who holds it. */
async function make() {
  const random = openRandom(++seed);
  const holder = { ...inventHolder(random, TODAY), expires: '2034-05-06', issuer: 'NLD' };
  const shown = { holder, face: seed, lines: zoneLines('td3', holder, random) };
  const page = drawPage('td3', inventLayout(random), shown, 12);
  const { surname, givenNames, dateOfBirth } = holder;
  const file = await sharp(Buffer.from(page)).jpeg({ quality: 88 }).toBuffer();
  return { file, person: { firstName: givenNames, lastName: surname, dateOfBirth } };
}
const edited = (file: Buffer) => withMetadata(file, { program: 'Adobe Photoshop 25.1 (Windows)', place: 'exif', isPhone: false });

/** Returns the address of a document that was checked, its status, and the names of its hints. */
async function check(person: Body, file: Buffer) {
  const document = await submitted(await newOwner(person), { file });
  await waitUntil('the check is recorded', async () => (await get(document))._embedded);
  const { documentVerificationStatus: status, _embedded } = await get(document);
  return { document, status, hints: _embedded.evidence.hints?.map(({ name }: Body) => name) };
}

test('a grey and edited picture has hints, and is decided as if it had none', async () => {
  const honest = await make();
  const { status, hints } = await check(honest.person, honest.file);
  assert.deepEqual([status, hints], ['accepted', undefined]);
  const { file, person } = await make();
  const forged = await check(person, edited(await sharp(file).greyscale().jpeg().toBuffer()));
  assert.deepEqual([forged.status, forged.hints], ['accepted', ['greyCopy', 'editor']]);
});

test('a reviewer sees hints as hints, in the console and with review show; recheck lists those that are new', async (t) => {
  const { file, person } = await make();
  const { document, status } = await check({ ...person, dateOfBirth: '1970-01-01' }, edited(file));
  assert.equal(status, 'pending');
  const reviewer = await openSession(shared, 'reviewer');
  const { text } = await reviewer.load(`/console/review/${idOf(document)}`);
  assert.match(text, /hints: 1[\s\S]*hint<\/span> The metadata names a program that edits pictures[\s\S]*This proves nothing/);
  const settings = settingsOf(shared);
  const shown = await runCli(t, ['review', 'show', idOf(document)], settings);
  assert.match(shown.stdout, /Hint, which proves nothing: The metadata names a program that edits pictures/);
  const [review] = await sql<Body>`select basis from document_review where document_id = ${idOf(document)}`;
  assert.equal(review!.basis.evidence.hints.length, 1, 'the basis of a decision has the hint');
  await sql`update document_review set basis = basis #- '{evidence,hints}' where document_id = ${idOf(document)}`;
  const { differ } = await runCliJson<Body>(t, ['documents', 'recheck', '--since', '2020-01-01', '--dry-run', '--json'], {
    ...settings,
    ...env,
  });
  const [only] = differ;
  assert.deepEqual([differ.length, only.document_id, only.hints_before, only.hints_now], [1, idOf(document), '', 'editor']);
});

test('metadata that is huge and damaged stays within the limit of CPU time, and hides nothing that is read', async () => {
  const full = (marker: number, head: string) =>
    Array.from({ length: 70 }, () => segment(marker, Buffer.concat([Buffer.from(head), Buffer.alloc(65_000, 'Software="')])));
  // A directory that leads to itself, with more entries than bytes.
  const directory = Buffer.from('Exif\0\0II*\0\x08\0\0\0\xff\xff\x69\x87\x04\0\xff\xff\xff\xff\x08\0\0\0', 'latin1');
  const hostile = [segment(0xe1, directory), ...full(0xe1, 'http://ns.adobe.com/xap/1.0/\0'), ...full(0xfe, '')];
  const { file, person } = await make();
  const { status, hints } = await check(person, Buffer.concat([file.subarray(0, 2), ...hostile, file.subarray(2)]));
  assert.deepEqual([status, hints], ['accepted', undefined]);
});
