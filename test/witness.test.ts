// `earmark witness`: the protocol of C2SP tlog-witness, checkpoint by checkpoint, and what it keeps when it is killed.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { formatAddCheckpoint } from '../packages/proof/src/add-checkpoint.ts';
import { formatVerifier, parseVerifier } from '../packages/proof/src/note.ts';
import { isCosignedBy, signCheckpoint } from '../packages/proof/src/sign.ts';
import { hashChildren, hashLeaf, proveConsistency, rootAt } from '../packages/proof/src/tree.ts';
import { openWitnessState } from '../packages/proof/src/witness-state.ts';
import { assertOneLine, runCli, scratch } from './support/process.ts';
import { type StartedWitness, startWitness } from './support/witness.ts';

const NAME = 'witness.test/w1';
const LEAVES = 40;

let logs = 0;
const witness = await startWitness({ after }, NAME);

/** A log with another key, whose leaves depend on `branch`: two branches have the same first ten entries. */
function openLog(origin = `log.test/${++logs}`) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const signer = { name: origin, publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'), privateKey };
  const branchOf = (branch: string) => {
    const leaves = Array.from({ length: LEAVES }, (_, index) => hashLeaf(Buffer.from(`${index < 10 ? '' : branch}${index}`)));
    const hashAt = (height: number, index: number): Uint8Array =>
      height === 0 ? leaves[index]! : hashChildren(hashAt(height - 1, 2 * index), hashAt(height - 1, 2 * index + 1));
    const note = (size: number) => signCheckpoint({ origin, size, root: rootAt(size, hashAt) }, [signer]);
    const body = (old: number, size: number) =>
      formatAddCheckpoint({ old, proof: proveConsistency(old, size, hashAt), note: note(size) });
    return { note, body };
  };
  return { key: formatVerifier(signer), ...branchOf('a'), other: branchOf('b') };
}

/** Asserts that the answer is a cosignature of the note by the witness. */
function assertCosigned({ status, text }: Awaited<ReturnType<StartedWitness['ask']>>, note: string): void {
  assert.equal(status, 200, text);
  assert.match(text, /^— witness\.test\/w1 \S+\n$/);
  assert.ok(isCosignedBy(`${note}${text}`, parseVerifier(witness.key, 'cosignature')!));
}

test('a cosignature has the bytes of C2SP tlog-cosignature', async () => {
  const log = openLog();
  witness.know(log.key);
  const { text } = await witness.ask(log.body(0, 7));
  const bytes = Buffer.from(text.trim().split(' ')[2]!, 'base64');
  const publicKey = Buffer.from(witness.key.split('+').slice(2).join('+'), 'base64').subarray(1);
  const id = createHash('sha256').update(`${NAME}\n`).update(Buffer.of(4)).update(publicKey).digest();
  assert.deepEqual(bytes.subarray(0, 4), id.subarray(0, 4));
  const seconds = bytes.readBigUInt64BE(4);
  assert.ok(Math.abs(Date.now() / 1000 - Number(seconds)) < 60);
  const message = `cosignature/v1\ntime ${seconds}\n${log.note(7).split('\n\n')[0]}\n`;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') }, format: 'jwk' });
  assert.ok(verify(null, Buffer.from(message), key, bytes.subarray(12)));
});

test('a witness cosigns each extension, and the same checkpoint again', async () => {
  const log = openLog();
  witness.know(log.key);
  for (const [old, size] of [
    [0, 3],
    [3, 3],
    [3, 4],
    [4, 17],
    [17, 40],
  ] as const)
    assertCosigned(await witness.ask(log.body(old, size)), log.note(size));
});

test('a witness refuses what the specification says, with its statuses, and cosigns nothing of it', async () => {
  const log = openLog();
  assert.equal((await witness.ask(log.body(0, 5))).status, 404, 'an unknown log');
  witness.know(log.key);
  const { note: forged } = openLog(`log.test/${logs}`);
  const refused: [body: string, status: number, what: string][] = [
    [`old 0\n\n${forged(5)}`, 403, 'another key'],
    [log.body(0, 5).replace('\n5\n', '\n6\n'), 403, 'another size than was signed'],
    ['', 400, 'nothing'],
    [`old 00\n\n${log.note(5)}`, 400, 'a leading zero'],
    [`old 5\n${'A'.repeat(43)}\n\n${log.note(5)}`, 400, 'a hash that is too short'],
    [`old 0\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n${log.note(5)}`, 400, 'too many hashes'],
    [`old 6\n\n${log.note(5)}`, 400, 'an old size above that of the checkpoint'],
    [`old 0\n${'A'.repeat(43)}=\n\n${log.note(5)}`, 422, 'a proof without an old size'],
    [`old 0\n\n${'x'.repeat(100_000)}`, 413, 'a body that is too large'],
  ];
  for (const [body, status, what] of refused) assert.equal((await witness.ask(body)).status, status, what);
  assert.equal((await witness.ask('', '/add-checkpoint', 'GET')).status, 405);
  assert.equal((await witness.ask('', '/')).status, 404);
  const conflict = await witness.ask(log.body(3, 5));
  assert.deepEqual(conflict, { status: 409, type: 'text/x.tlog.size', text: '0\n' });
  assertCosigned(await witness.ask(log.body(0, 20)), log.note(20));
  assert.deepEqual(await witness.ask(log.body(3, 21)), { status: 409, type: 'text/x.tlog.size', text: '20\n' });
  assert.deepEqual(await witness.ask(log.body(3, 5)), { status: 409, type: 'text/x.tlog.size', text: '20\n' }, 'a smaller tree');
});

test('a witness refuses a fork, and keeps both checkpoints as evidence', async () => {
  const log = openLog();
  witness.know(log.key);
  assertCosigned(await witness.ask(log.body(0, 20)), log.note(20));
  assert.equal((await witness.ask(log.other.body(20, 20))).status, 409, 'the same size with another root');
  assert.equal((await witness.ask(log.other.body(20, 30))).status, 422, 'a larger tree that does not extend it');
  const evidence = JSON.parse(witness.stderr().trim().split('\n').at(-1)!);
  assert.deepEqual([evidence.latest, evidence.submitted], [log.note(20), log.other.note(30)]);
  assertCosigned(await witness.ask(log.body(20, 30)), log.note(30));
});

test('of two requests at the same time the older one does not take the newer one back', async () => {
  const log = openLog();
  witness.know(log.key);
  assertCosigned(await witness.ask(log.body(0, 1)), log.note(1));
  const sizes = Array.from({ length: 30 }, (_, index) => index + 2);
  const answers = await Promise.all(sizes.map((size) => witness.ask(log.body(1, size))));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const cosigned = sizes[answers.findIndex(({ status }) => status === 200)]!;
  assert.equal((await witness.ask(log.body(1, 1))).text, `${cosigned}\n`);
});

test('a witness that is killed remembers what it cosigned, and its key', async (t) => {
  const first = await startWitness(t, NAME);
  const log = openLog();
  first.know(log.key);
  assert.equal((await first.ask(log.body(0, 20))).status, 200);
  first.child.kill('SIGKILL');
  await first.ended;
  const again = await startWitness(t, NAME, first.at);
  assert.equal(again.key, first.key);
  assert.equal((await again.ask(log.other.body(0, 20))).status, 409);
  assert.equal((await again.ask(log.other.body(20, 20))).status, 409);
  assert.equal((await again.ask(log.body(20, 21))).status, 200);
  again.child.kill('SIGTERM');
  assert.equal((await again.ended).code, 0);
  const args = ['witness', '--logs', `${first.at.folder}/logs.txt`, '--data', `${first.at.folder}/state`, '--port', '0'];
  assertOneLine(await runCli(t, [...args, '--name', 'another'], {}), /belongs to the witness witness\.test\/w1/);
  assertOneLine(await runCli(t, [...args, '--name', 'a b'], {}), /^--name takes visible ASCII/m, 2);
  assertOneLine(await runCli(t, [...args, '--name', NAME, '--logs', '/nowhere'], {}), /\/nowhere cannot be read/);
});

test('only its owner may read the key of a witness, also in a folder that existed before', async (t) => {
  const folder = scratch(t);
  const file = join(folder, 'witness.sqlite');
  for (const mode of [undefined, 0o644]) {
    if (mode !== undefined) chmodSync(file, mode);
    openWitnessState(folder, NAME).close();
    assert.equal(statSync(file).mode & 0o777, 0o600, `${mode}`);
  }
});
