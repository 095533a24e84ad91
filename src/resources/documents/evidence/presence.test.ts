// Tests of the level `document`, from the upload to the decision: whole documents reach it, and what is printed or typed at home does not.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pdf417 } from '../../../../packages/document-reader/specimens/barcode.ts';
import { type Holder, inventHolder } from '../../../../packages/document-reader/specimens/holder.ts';
import { licenceText } from '../../../../packages/document-reader/specimens/licence-text.ts';
import { shoot } from '../../../../packages/document-reader/specimens/second-camera.ts';
import { drawDocument } from '../../../../packages/document-reader/specimens/second-cards.ts';
import { inventLayout, pageOf } from '../../../../packages/document-reader/specimens/second-drawer.ts';
import { FORGERIES, type Forgery, forge } from '../../../../packages/document-reader/specimens/second-forgeries.ts';
import { zoneLines } from '../../../../packages/document-reader/specimens/zone-lines.ts';
import type { Body } from '../../../../test/support/http.ts';
import { openRandom } from '../../../../test/support/random.ts';
import { TODAY } from '../../../../test/support/specimen-pictures.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const env = { DOCUMENT_CHECKERS: 'reader', AUTO_DECIDE: 'accept-document', MODE: 'production' };
const { newOwner, submitted, get } = await openUploads({ after }, { env });

const VALID = { expires: '2034-05-06', issuer: 'NLD' };
const TYPES = { td1: 'idCard', td2: 'idCard', td3: 'passport', aamva: 'license' } as const;
type Kind = keyof typeof TYPES;

/** The decision on a document of its holder, its level, and the results of the parts of its evidence. */
async function check(kind: Kind, { surname, givenNames, dateOfBirth }: Holder, file: Buffer) {
  const owner = await newOwner({ firstName: givenNames, lastName: surname, dateOfBirth });
  const document = await submitted(owner, { file, documentType: TYPES[kind] });
  await waitUntil('the check is recorded', async () => (await get(`${document}/reviews`)).total > 0);
  const { documentVerificationStatus: status, _embedded } = await get(document);
  const { level, parts } = _embedded.evidence;
  return { decided: [level, status], parts: Object.fromEntries(parts.map(({ name, result }: Body) => [name, result])) };
}

test('a whole document reaches the level document, and is accepted by a policy that asks for it', async () => {
  const random = openRandom(11);
  for (const kind of ['td3', 'td2', 'td1', 'aamva'] as const) {
    const { holder, ...drawn } = await drawDocument(random, kind, TODAY, VALID);
    const { decided, parts } = await check(kind, holder, await shoot(random, drawn, 'clear'));
    assert.deepEqual(decided, ['document', 'accepted'], kind);
    const portrait = kind === 'td3' || kind === 'td2' ? 'holds' : 'unknown';
    const consistency = kind === 'aamva' && { consistency: 'holds' };
    assert.deepEqual(parts, { data: 'holds', outline: 'holds', portrait, printedText: 'holds', ...consistency }, kind);
  }
});

test('a zone or a barcode on paper or on a screen stays text, also with a photo', async () => {
  const random = openRandom(12);
  for (const name of Object.keys(FORGERIES) as Forgery[]) {
    const kind = name.includes('barcode') ? 'aamva' : name.includes('cut to the document') ? 'td1' : 'td3';
    const holder = { ...inventHolder(random, TODAY), ...VALID };
    const lines = zoneLines(kind === 'aamva' ? 'td3' : kind, holder, random);
    const drawn = forge(random, name, { lines, barcode: await pdf417(random, licenceText(holder, random).text) });
    const { decided } = await check(kind, holder, await shoot(random, drawn, name.startsWith('screen') ? 'screen' : 'clear'));
    // The reader does not find the small barcode of a letter.
    assert.deepEqual(decided, [name === 'barcode: letter' ? 'none' : 'text', 'pending'], name);
  }
});

test('each part keeps a page from the level document', async () => {
  const random = openRandom(13);
  const [holder, other] = [inventHolder(random, TODAY), inventHolder(random, TODAY)].map((one) => ({ ...one, ...VALID }));
  const layout = { ...inventLayout(random), isFaceRight: false };
  const page = pageOf('td3', layout, { holder: holder!, face: 5, lines: zoneLines('td3', holder!, random) });
  const printed = pageOf('td3', layout, { holder: other!, face: 6, lines: zoneLines('td3', holder!, random) });
  // The third part of a page is its portrait.
  const faceless = { ...page, parts: page.parts.toSpliced(2, 1) };
  const failing = async (drawn: typeof page, shot: 'clear' | 'screen') => {
    const { decided, parts } = await check('td3', holder!, await shoot(random, drawn, shot));
    return [decided[0], ...Object.keys(parts).filter((name) => parts[name] === 'fails')];
  };
  assert.deepEqual(await failing(page, 'clear'), ['document']);
  assert.deepEqual(await failing(faceless, 'clear'), ['text', 'portrait']);
  assert.deepEqual(await failing(printed, 'clear'), ['text', 'printedText'], 'the zone of another person');
  assert.deepEqual(await failing(page, 'screen'), ['text', 'outline'], 'cut to the page');
});
