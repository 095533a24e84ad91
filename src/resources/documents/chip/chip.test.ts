// Tests of chips over HTTP: every algorithm of the standard, and every way in which a chip does not prove what it says.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  type Algorithm,
  type Authority,
  type ChipOptions,
  dg1Of,
  dg2Of,
  dg11Of,
  type Groups,
  makeAuthority,
  makeMasterList,
  makeRevocationList,
  makeSigner,
  makeSod,
  nameOf,
  type Person,
  type SignerOptions,
  zoneOf,
} from '../../../../test/support/chip.ts';
import type { Body } from '../../../../test/support/http.ts';
import { typePart } from '../../../../test/support/multipart.ts';
import { jpeg2000, picture } from '../../../../test/support/pictures.ts';
import { runCli, scratch, settingsOf } from '../../../../test/support/process.ts';
import { withContents } from '../../../../test/support/upload-contents.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import { waitUntil } from '../../../../test/support/wait.ts';

const env = { SANDBOX_REVIEW_DELAY_MS: '0', AUTO_DECIDE: 'accept-chip,reject' };
const shared = withContents(await openUploads({ after }, { env }));
const OWNER = { lastName: 'Eriksson', dateOfBirth: '1974-08-12' };

type Case = {
  authority?: Authority;
  signer?: SignerOptions;
  sod?: ChipOptions;
  person?: Partial<Person>;
  kind?: 'td3' | 'td1';
  /** Data groups beside DG1, and what is changed after they were signed. */
  groups?: Partial<Groups>;
  change?(files: Files): Partial<Files>;
};
type Files = Groups & { sod: Buffer };

const state = makeAuthority();
const listed: Authority[] = [state];
const listedAs = (options: Parameters<typeof makeAuthority>[0]) => {
  const authority = makeAuthority(options);
  listed.push(authority);
  return authority;
};

let count = 0;

/** Files of a chip with a new number and first name. */
function filesOf({ authority = state, signer, sod, person, kind, groups = {}, change }: Case): Files {
  const number = `C${String(++count).padStart(8, '0')}`;
  const givenNames = `A${[...String(count)].map((digit) => 'ABCDEFGHIJ'[Number(digit)]).join('')}`;
  const signed: Groups = { dg1: dg1Of(zoneOf({ number, givenNames, ...person }, kind)), ...groups };
  const files = { ...signed, sod: makeSod(signed, makeSigner(authority, signer), sod) };
  return { ...files, ...change?.(files) };
}

async function submitChip(files: Record<string, Buffer>, documentType = 'passport') {
  const owner = await shared.newOwner(OWNER);
  const parts = Object.entries(files).map(([name, value]) => ({ name, value, fileName: name }));
  return shared.submit(owner, { parts: [typePart(documentType), ...parts] });
}

/** The evidence of a chip, with the names of the parts that do not hold. */
async function evidenceOf(given: Case) {
  const answer = await submitChip(filesOf(given), given.kind === 'td1' ? 'idCard' : 'passport');
  assert.equal(answer.status, 201, answer.text);
  const document = answer.headers.location!;
  const body = await waitUntil('the chip is checked', async () => {
    const found = await shared.get(document);
    return found._embedded && found;
  });
  const { level, parts } = body._embedded.evidence;
  const open = parts.filter((part: Body) => part.result !== 'holds').map((part: Body) => `${part.name} ${part.result}`);
  return { document, body, level, open, parts };
}

async function importFile(t: Parameters<typeof scratch>[0], name: string, content: Buffer) {
  const path = join(scratch(t), name);
  writeFileSync(path, content);
  return runCli(t, ['master-list', 'import', path, '--json'], settingsOf(shared));
}

const SIGNERS: Record<string, Algorithm> = {
  'RSA 2048, SHA-256': { bits: 2048, hash: 'sha256' },
  'RSA 3072, SHA-384': { bits: 3072, hash: 'sha384' },
  'RSA 4096, SHA-512': { bits: 4096, hash: 'sha512' },
  'RSA 2048, SHA-224': { bits: 2048, hash: 'sha224' },
  'RSA-PSS 2048, SHA-256': { bits: 2048, pss: true, hash: 'sha256' },
  'RSA-PSS 3072, SHA-384': { bits: 3072, pss: true, hash: 'sha384' },
  'RSA-PSS 4096, SHA-512': { bits: 4096, pss: true, hash: 'sha512' },
  'RSA-PSS with a key for PSS only': { bits: 2048, pss: true, pssKey: true, hash: 'sha256' },
  'P-224': { curve: 'secp224r1', hash: 'sha224' },
  'P-256': { curve: 'prime256v1', hash: 'sha256' },
  'P-384': { curve: 'secp384r1', hash: 'sha384' },
  'P-521': { curve: 'secp521r1', hash: 'sha512' },
  brainpoolP224r1: { curve: 'brainpoolP224r1', hash: 'sha224' },
  brainpoolP256r1: { curve: 'brainpoolP256r1', hash: 'sha256' },
  brainpoolP320r1: { curve: 'brainpoolP320r1', hash: 'sha256' },
  brainpoolP384r1: { curve: 'brainpoolP384r1', hash: 'sha384' },
  brainpoolP512r1: { curve: 'brainpoolP512r1', hash: 'sha512' },
  'P-256 with explicit parameters': { curve: 'prime256v1', explicit: true, hash: 'sha256' },
  'brainpoolP256r1 with explicit parameters': { curve: 'brainpoolP256r1', explicit: true, hash: 'sha256' },
  'brainpoolP384r1 with explicit parameters': { curve: 'brainpoolP384r1', explicit: true, hash: 'sha384' },
};
const AUTHORITIES: Record<string, Algorithm> = {
  'RSA 4096, SHA-256': { bits: 4096, hash: 'sha256' },
  'RSA-PSS 3072, SHA-256': { bits: 3072, pss: true, hash: 'sha256' },
  'RSA-PSS 2048 with a key for PSS only': { bits: 2048, pss: true, pssKey: true, hash: 'sha256' },
  'P-384': { curve: 'secp384r1', hash: 'sha384' },
  'P-521 with explicit parameters': { curve: 'secp521r1', explicit: true, hash: 'sha512' },
  brainpoolP384r1: { curve: 'brainpoolP384r1', hash: 'sha384' },
  'brainpoolP512r1 with explicit parameters': { curve: 'brainpoolP512r1', explicit: true, hash: 'sha512' },
};
const byAlgorithm = Object.entries(AUTHORITIES).map(
  ([name, algorithm]) => [name, listedAs({ algorithm, label: `csca ${name}` })] as const,
);
const revoking = listedAs({ label: 'revoking' });
const outdated = listedAs({ label: 'outdated' });
const french = listedAs({ country: 'FR' });
const ended = listedAs({ label: 'ended', validity: ['2010-01-01', '2025-01-01'] });
const future = listedAs({ label: 'future', validity: ['2050-01-01', '2060-01-01'] });
const leaf = listedAs({ label: 'leaf', ca: false });
const oldHash = listedAs({ label: 'old', algorithm: { bits: 2048, hash: 'sha1' } });
const REVOKED = Buffer.from('1122334455667788', 'hex');

const list = makeMasterList(listed);
const imported = await importFile({ after }, 'list.ml', list);
const crls = [
  makeRevocationList(revoking, [REVOKED]),
  makeRevocationList(outdated, [], { nextUpdate: '2026-02-01' }),
  // Signed by another key than that of the authority that it names.
  makeRevocationList(state, [REVOKED], { by: makeAuthority({ label: 'stranger' }) }),
];
for (const [index, crl] of crls.entries()) await importFile({ after }, `${index}.crl`, crl);

test('a master list is imported from its file, with its signer', () => {
  const { certificates, lists, signed_by } = JSON.parse(imported.stdout);
  // What is no authority is left out.
  assert.deepEqual([lists, certificates], [1, listed.length - 1]);
  assert.match(signed_by, /csca/);
});

test('every algorithm of the standard proves a chip, and a chip that matches is accepted', async (t) => {
  const cases: [name: string, given: Case][] = [
    ...Object.entries(SIGNERS).map(([name, algorithm]): [string, Case] => [name, { signer: { algorithm } }]),
    ...byAlgorithm.map(([name, authority]): [string, Case] => [`authority: ${name}`, { authority }]),
    ...(['sha224', 'sha384', 'sha512'] as const).map((hash): [string, Case] => [`hashes: ${hash}`, { sod: { hash } }]),
    ['an algorithm identifier without the hash', { sod: { bareAlgorithm: true } }],
    ['the same with RSA', { sod: { bareAlgorithm: true }, signer: { algorithm: { bits: 2048, hash: 'sha256' } } }],
    ['a signer named by its key', { sod: { byKeyId: true } }],
    ['an authority found by its name', { signer: { keyId: false } }],
    ['a name in UTF-8 and other letters', { signer: { keyId: false, issuerName: nameOf('de', 'CSCA  csca', 0x0c) } }],
    ['a card', { kind: 'td1' }],
    ['files with zeros behind their end', { change: ({ dg1, sod }) => ({ dg1: padded(dg1), sod: padded(sod) }) }],
  ];
  for (const [name, given] of cases) {
    await t.test(name, async () => {
      const { level, open, body } = await evidenceOf(given);
      assert.deepEqual([level, open, body.documentVerificationStatus], ['chip', ['revocation unknown'], 'accepted']);
    });
  }
});

const padded = (file: Buffer) => Buffer.concat([file, Buffer.alloc(5)]);

test('a weak algorithm reaches the level document, and a person decides', async (t) => {
  const cases: [name: string, given: Case][] = [
    ['a signature with SHA-1 by RSA', { signer: { algorithm: { bits: 2048, hash: 'sha1' } } }],
    ['a signature with SHA-1 by ECDSA', { signer: { algorithm: { curve: 'prime256v1', hash: 'sha1' } } }],
    ['a digest with SHA-1', { sod: { digestHash: 'sha1' } }],
    ['hashes with SHA-1', { sod: { hash: 'sha1' } }],
    ['a key of 1024 bits', { signer: { algorithm: { bits: 1024, hash: 'sha256' } } }],
    ['an authority with SHA-1', { authority: oldHash }],
  ];
  for (const [name, given] of cases) {
    await t.test(name, async () => {
      const { level, open, body } = await evidenceOf(given);
      assert.deepEqual([level, body.documentVerificationStatus], ['document', 'pending']);
      assert.deepEqual(open, ['revocation unknown', 'algorithms fails']);
    });
  }
});

test('a chip that does not prove what it says reaches the level text, and a person decides', async (t) => {
  const other = dg1Of(zoneOf({ surname: 'ERIKSSON', givenNames: 'EVE' }));
  const portrait = dg2Of(await picture());
  const cases: [name: string, open: string[], given: Case][] = [
    ['another zone', ['dataGroups fails'], { change: () => ({ dg1: other }) }],
    [
      'another portrait',
      ['dataGroups fails'],
      { groups: { dg2: portrait }, change: () => ({ dg2: dg2Of(Buffer.from(NO_FORMAT)) }) },
    ],
    ['a portrait that was not signed', ['dataGroups fails'], { groups: { dg2: portrait }, sod: { omit: [2] } }],
    ['a changed signature', ['signature fails'], { sod: { spoil: 'signature' } }],
    [
      'a changed RSA signature',
      ['signature fails'],
      { sod: { spoil: 'signature' }, signer: { algorithm: SIGNERS['RSA 2048, SHA-256']! } },
    ],
    [
      'a changed PSS signature',
      ['signature fails'],
      { sod: { spoil: 'signature' }, signer: { algorithm: SIGNERS['RSA-PSS 2048, SHA-256']! } },
    ],
    ['another digest', ['signature fails'], { sod: { spoil: 'digest' } }],
    ['another content type', ['signature fails'], { sod: { spoil: 'type' } }],
    ['no signed attributes', ['signature fails'], { sod: { spoil: 'attributes' } }],
    ['no signer certificate', ['signature unknown', 'issuer fails', 'validity unknown'], { sod: { spoil: 'certificate' } }],
    ['an unknown state', ['issuer fails', 'validity unknown'], { authority: makeAuthority({ country: 'SE', label: 'unknown' }) }],
    [
      'the name of a state with another key',
      ['issuer fails', 'validity unknown'],
      { authority: { ...makeAuthority({ label: 'forger' }), name: state.name }, signer: { keyId: false } },
    ],
    [
      'the key identifier of a state with another key',
      ['issuer fails', 'validity unknown'],
      { authority: { ...makeAuthority({ label: 'forger' }), keyId: state.keyId } },
    ],
    ['a signer that is an authority', ['issuer fails', 'validity unknown'], { signer: { isAuthority: true } }],
    ['a signer certified by a certificate that is no authority', ['issuer fails', 'validity unknown'], { authority: leaf }],
    ['a document of another state', ['issuer fails'], { authority: french }],
    ['an expired document signer', ['validity fails'], { signer: { validity: ['2015-01-01', '2025-11-01'] } }],
    ['a document signer of the future', ['validity fails'], { signer: { validity: ['2040-01-01', '2050-01-01'] } }],
    ['an expired authority', ['validity fails'], { authority: ended }],
    ['an authority of the future', ['validity fails'], { authority: future }],
    ['a revoked document signer', ['revocation fails'], { authority: revoking, signer: { serial: REVOKED } }],
  ];
  for (const [name, expected, given] of cases) {
    await t.test(name, async () => {
      const { level, open, body } = await evidenceOf(given);
      assert.deepEqual([level, body.documentVerificationStatus], ['text', 'pending']);
      assert.deepEqual(
        open.filter((part: string) => part !== 'revocation unknown'),
        expected,
      );
    });
  }
});

const NO_FORMAT = 'not a format of portraits';

test('revocation lists count if the authority signed them, and one that is out of date says less', async () => {
  assert.deepEqual((await evidenceOf({ authority: revoking })).open, []);
  const late = await evidenceOf({ authority: outdated });
  assert.deepEqual([late.level, late.open], ['chip', ['revocation unknown']]);
  assert.match(late.parts.find(({ name }: Body) => name === 'revocation').text, /out of date/);
  const strange = await evidenceOf({ signer: { serial: REVOKED } });
  assert.deepEqual([strange.level, strange.open], ['chip', ['revocation unknown']]);
});

test('a reviewer sees the portrait, also one in JPEG 2000, and the original is what was sent', async (t) => {
  for (const [name, content] of Object.entries({ jpeg: await picture('jpeg', 300, 400), jpeg2000: await jpeg2000(300, 400) })) {
    await t.test(name, async () => {
      const dg2 = dg2Of(content);
      const { document, level } = await evidenceOf({ groups: { dg2 } });
      assert.equal(level, 'chip');
      const copy = await shared.copyOf(document);
      const { default: sharp } = await import('sharp');
      const { format, width, height } = await sharp(copy).metadata();
      assert.deepEqual([format, width, height], ['jpeg', 300, 400]);
      assert.deepEqual(Buffer.from(JSON.parse((await shared.originalOf(document)).toString()).dg2, 'base64'), dg2);
    });
  }
});

test('a chip has the century of a birth date and the full name', async () => {
  const dg11 = dg11Of({ name: 'Eriksson<<Anna Märia', birth: '19190812' });
  const owner = { ...OWNER, dateOfBirth: '1919-08-12' };
  const person = { birth: '190812' };
  const files = filesOf({ groups: { dg11 }, person });
  const submitted = await shared.submitted(await shared.newOwner(owner), {
    parts: [typePart(), ...Object.entries(files).map(([name, value]) => ({ name, value, fileName: name }))],
  });
  const body = await waitUntil('the chip is checked', async () => {
    const found = await shared.get(submitted);
    return found._embedded && found;
  });
  assert.equal(body.documentVerificationStatus, 'accepted');
});
