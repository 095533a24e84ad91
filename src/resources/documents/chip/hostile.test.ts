// Tests of chips made to cost time or memory: the process that reads documents refuses each, and stays small.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import {
  dg1Of,
  dg2Of,
  makeAuthority,
  makeChip,
  makeMasterList,
  makeSigner,
  makeSod,
  type SignerOptions,
  zoneOf,
} from '../../../../test/support/chip.ts';
import { bits, der, integer, octets, oid, sequence } from '../../../../test/support/der.ts';
import { assertRefused, faultsOf, idOf } from '../../../../test/support/http.ts';
import { typePart } from '../../../../test/support/multipart.ts';
import { jpeg2000, picture } from '../../../../test/support/pictures.ts';
import { openUploads } from '../../../../test/support/uploads.ts';
import type { ChipTask } from '../checking/read-process.ts';
import type { Level } from '../evidence/evidence.ts';
import type { Done, Order } from '../worker-process.ts';
import type { ChipFiles } from './chip-files.ts';
import type { ChipReading } from './verify-chip.ts';

const PROGRAM = new URL('../checking/read-process.ts', import.meta.url);
/** Of each chip: the process ends itself beyond. */
const CPU_MS = 3_000;
const RESIDENT_BYTES_MAX = 350 * 1024 * 1024;
const MEGABYTES_4 = 4 * 1024 * 1024;

const shared = await openUploads({ after });
const OWNER = { lastName: 'Eriksson', dateOfBirth: '1974-08-12' };
const state = makeAuthority();
const good = makeChip();
const child = fork(PROGRAM, { serialization: 'advanced', env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
const ended = new AbortController();
child.once('exit', () => ended.abort());
after(() => child.kill('SIGKILL'));
await once(child, 'message');

/** Reads a chip in the process; fails the test if that ends. */
async function read(chip: ChipFiles): Promise<Done<ChipReading | undefined>> {
  const trust = { authorities: [new Uint8Array(state.certificate)], revocationLists: [] };
  const order: Order<ChipTask> = { task: { chip, trust, today: '2026-11-22' }, cpuMs: CPU_MS };
  child.send(order);
  const [done] = (await once(child, 'message', { signal: ended.signal })) as [Done<ChipReading | undefined>];
  return done;
}

/** Each element has all the others in it. */
function nestedOf(bytes: number): Buffer {
  const heads: Buffer[] = [];
  for (let left = bytes; left > 6; left -= 6)
    heads.push(Buffer.from([0x30, 0x84, left >>> 24, (left >>> 16) & 255, (left >>> 8) & 255, left & 255]));
  return Buffer.concat([...heads, Buffer.alloc(6)]);
}

async function submitChip(files: Record<string, Uint8Array>, documentType = 'passport') {
  const parts = Object.entries(files).map(([name, value]) => ({ name, value: Buffer.from(value), fileName: name }));
  return shared.submit(await shared.newOwner(OWNER), { parts: [typePart(documentType), ...parts] });
}

const signedBy = (options: SignerOptions) => makeSod({ dg1: good.dg1 }, makeSigner(state, options));
const sod = (content: Buffer) => ({ ...good, sod: der(0x77, content) });
const repeated = (hex: string, bytes: number) => Buffer.alloc(bytes, Buffer.from(hex, 'hex'));

const HOSTILE: Record<string, ChipFiles> = {
  'elements of 4 MB': sod(sequence(repeated('0500', MEGABYTES_4))),
  'nested elements of 4 MB': sod(nestedOf(MEGABYTES_4)),
  'an element of indefinite length within itself': sod(repeated('3080', MEGABYTES_4)),
  'a set of indefinite length that never ends': sod(Buffer.from('3180', 'hex')),
  'a length behind the end of the file': { ...good, sod: Buffer.from('7784ffffffff3082', 'hex') },
  'an integer of 4 MB': sod(sequence(integer(Buffer.alloc(MEGABYTES_4, 0x7f)))),
  'an object identifier of 4 MB': sod(sequence(der(0x06, Buffer.alloc(MEGABYTES_4, 0xff)), der(0xa0, sequence()))),
  'a tag of 4 MB': { ...good, sod: Buffer.alloc(MEGABYTES_4, 0x9f) },
  'a DG11 of 4 MB': { ...good, dg11: der(0x6b, repeated('5f0e00', MEGABYTES_4)) },
};

const RSA = sequence(oid('1.2.840.113549.1.1.1'), der(0x05));
const LONG_KEY = sequence(integer(Buffer.alloc(2048, 0x7f)), integer(Buffer.alloc(2048, 0x7d)));
const POINT = Buffer.concat([Buffer.of(4), Buffer.alloc(4000, 3)]);
const CURVE = sequence(
  integer(1),
  sequence(oid('1.2.840.10045.1.1'), integer(Buffer.alloc(2000, 0x7f))),
  sequence(octets(Buffer.alloc(2000, 1)), octets(Buffer.alloc(2000, 2))),
  octets(POINT),
  integer(Buffer.alloc(2000, 0x7f)),
  integer(1),
);
const issuerKeyId = (content: Buffer) => ({ keyId: false, extension: sequence(oid('2.5.29.35'), octets(content)) }) as const;
const signers = Array.from({ length: 50 }, () => makeSigner(state).certificate);

/** Signed data in the frame of the standard, whose content costs, and the level that it proves; none if it is refused. */
const COSTLY: Record<string, [sod: Buffer, level: Level | undefined]> = {
  'a key of 16,384 bits with an exponent as long': [signedBy({ key: sequence(RSA, bits(LONG_KEY)) }), 'text'],
  'a curve over a field of 16,000 bits': [
    signedBy({ key: sequence(sequence(oid('1.2.840.10045.2.1'), CURVE), bits(POINT)) }),
    'text',
  ],
  'an extension with nested elements': [signedBy(issuerKeyId(nestedOf(200_000))), undefined],
  'an extension of indefinite lengths': [signedBy(issuerKeyId(repeated('3080', 200_000))), undefined],
  'fifty certificates': [makeSod({ dg1: good.dg1 }, makeSigner(state), { certificates: signers }), 'chip'],
};

test('files that are not what the standard says are refused in bounded time and memory, and the process goes on', async (t) => {
  for (const [name, chip] of Object.entries(HOSTILE)) {
    await t.test(name, async () => {
      const { result, residentBytes } = await read(chip);
      assert.equal(result, undefined);
      assert.ok(residentBytes < RESIDENT_BYTES_MAX, `${residentBytes} bytes`);
    });
  }
  assert.equal((await read(good)).result?.evidence.level, 'chip');
});

test('keys, curves and extensions that cost much prove nothing, in bounded time and memory', async (t) => {
  for (const [name, [file, level]] of Object.entries(COSTLY)) {
    await t.test(name, async () => {
      const { result, residentBytes } = await read({ ...good, sod: file });
      assert.equal(result?.evidence.level, level);
      assert.ok(residentBytes < RESIDENT_BYTES_MAX, `${residentBytes} bytes`);
    });
  }
  assert.equal((await read(good)).result?.evidence.level, 'chip');
});

test('files that are not what the standard says are refused at once, and nothing is stored', async (t) => {
  const deep = (levels: number) => {
    let nested: Buffer = Buffer.alloc(0);
    for (let level = 0; level < levels; level++) nested = der(0x30, nested);
    return nested;
  };
  const cyclic = Buffer.from('7780308030803080', 'hex');
  const cases: [name: string, change: Partial<ChipFiles>][] = [
    ['an empty file', { sod: Buffer.alloc(0) }],
    ['a file of zeros', { sod: Buffer.alloc(2000) }],
    ['text', { sod: Buffer.from('no chip at all') }],
    ['EF.SOD cut in half', { sod: good.sod.subarray(0, good.sod.length / 2) }],
    ['EF.SOD without its last byte', { sod: good.sod.subarray(0, -1) }],
    ['EF.SOD with data behind its end', { sod: Buffer.concat([good.sod, Buffer.of(1)]) }],
    ['EF.SOD without its tag', { sod: good.sod.subarray(4) }],
    ['DG1 cut in half', { dg1: good.dg1.subarray(0, good.dg1.length / 2) }],
    ['DG1 without a zone', { dg1: dg1Of('no zone') }],
    ['DG1 with small letters', { dg1: dg1Of(zoneOf().toLowerCase()) }],
    ['DG1 in place of EF.SOD', { sod: good.dg1 }],
    ['DG2 without a portrait', { dg2: der(0x75, octets(Buffer.of(1))) }],
    ['DG2 with a broken JPEG', { dg2: dg2Of((await picture()).subarray(0, 900)) }],
    ['DG2 with a broken JPEG 2000', { dg2: dg2Of((await jpeg2000(300, 400)).subarray(0, 200)) }],
    ['a portrait of a thousand megapixels', { dg2: dg2Of(await jpeg2000(300, 400, { claimedWidth: 4_000_000 })) }],
    ['DG11 that is none', { dg11: der(0x30) }],
    ['DG14 that is none', { dg14: der(0x30) }],
    ['two signers', { sod: makeSod({ dg1: good.dg1 }, makeSigner(state), { spoil: 'signers' }) }],
    ['a master list', { sod: der(0x77, makeMasterList([state])) }],
    ['elements of indefinite length', { sod: Buffer.concat([der(0x77, Buffer.from('30800000', 'hex'))]) }],
    ['elements that never end', { sod: cyclic }],
    ['a length of four gigabytes', { sod: Buffer.from('7784ffffffff30', 'hex') }],
    ['a length of nine bytes', { sod: Buffer.from('7789010101010101010101', 'hex') }],
    ['an integer of 200,000 bytes', { sod: der(0x77, sequence(der(0x02, Buffer.alloc(200_000, 1)))) }],
    ['a thousand nested elements', { sod: der(0x77, deep(1000)) }],
    ['a hundred thousand elements', { sod: der(0x77, sequence(Buffer.from('0500'.repeat(100_000), 'hex'))) }],
    ['four megabytes of elements', { dg2: der(0x75, der([0x7f, 0x61], Buffer.from('0500'.repeat(2_000_000), 'hex'))) }],
    ['four megabytes of nested elements', { dg2: der(0x75, nestedOf(4_000_000)) }],
  ];
  const before = await shared.rowCounts();
  for (const [name, change] of cases) {
    await t.test(name, async () => {
      const startedMs = performance.now();
      assertRefused(await submitChip({ ...good, ...change }), { status: 400, code: 'BadFile' });
      assert.ok(performance.now() - startedMs < 10_000, 'in bounded time');
    });
  }
  const { documents, pieces } = await shared.rowCounts();
  assert.deepEqual({ documents, pieces }, { documents: before.documents, pieces: before.pieces });
});

test('an upload has a file or the files of a chip, each within its limit, and of a document that has a chip', async () => {
  const { sod, dg1 } = good;
  const refused = { status: 400, code: 'BadRequest' };
  for (const [files, faults] of [
    [{ sod }, ['Required /dg1']],
    [{ dg1 }, ['Required /sod']],
    [{ sod, dg1, file: await picture() }, ['NotAllowed /file']],
    [{ sod, dg1, dg3: dg1 }, ['NotAllowed /file']],
  ] as const) {
    const answer = await submitChip(files);
    assertRefused(answer, refused);
    assert.deepEqual(faultsOf(answer), faults);
  }
  assertRefused(await submitChip({ sod, dg1 }, 'license'), {
    status: 400,
    code: 'ValidationError',
    path: '/documentType',
    fault: 'Invalid',
  });
  assertRefused(await submitChip({ sod: Buffer.alloc(4 * 1024 * 1024), dg1 }), { status: 413, code: 'FileTooLarge' });
  const owner = await shared.newOwner(OWNER);
  const parts = [typePart(), ...Object.entries({ sod, dg1 }).map(([name, value]) => ({ name, value, fileName: name }))];
  const first = await shared.submitted(owner, { parts, key: 'chip-1' });
  assert.equal(await shared.submitted(owner, { parts: parts.toReversed(), key: 'chip-1' }), first, 'the order does not matter');
  assert.equal(idOf(first).length, 36);
});
