// @earmark/proof against a service: in Node.js by the example of its README, and where only what browsers have is global.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { toBase64 } from '../../packages/proof/src/bytes.ts';
import { formatVerifier } from '../../packages/proof/src/note.ts';
import { type Receipt, verifyReceipt } from '../../packages/proof/src/receipt.ts';
import { coveredLog } from '../support/logs.ts';
import { ROOT } from '../support/paths.ts';
import { scratch, start } from '../support/process.ts';
import { openLabels, startService } from '../support/service.ts';

const PACKAGE = join(ROOT, 'packages/proof');

const service = await openLabels(await startService({ after }));
const { from, to } = service;
const reallocation = await service.create('/label-reallocations', service.reallocation(from, to, '1.00'));
const { size } = await coveredLog(service);
const receipt: Receipt = await service.get(`${reallocation}/receipt`);
const { key }: { key: string } = (await service.get(`/accounts/${service.client.account_id}`)).log;
const idOf = (href: string) => href.split('/').at(-1)!;

test('the example of the README verifies a receipt', async (t) => {
  const [, example] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? [];
  const folder = scratch(t);
  writeFileSync(join(folder, 'receipt.json'), JSON.stringify(receipt));
  // In the folder of the package, which imports itself by its name, the example reads the receipt from elsewhere.
  const program = example!.replace("'receipt.json'", JSON.stringify(join(folder, 'receipt.json')));
  const command = [process.execPath, '--conditions=earmark-source', '--input-type=module-typescript', '-e', program];
  const ran = await start(t, command, { LOG_KEY: key }, { cwd: PACKAGE }).ended;
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  assert.equal(ran.stdout, `1.00 USD moved from label ${idOf(from)} to label ${idOf(to)}\n`);
});

test('receipts are verified and an account is audited without anything of Node.js', async (t) => {
  const { url, token, client } = service;
  const { text: proof } = await service.send('GET', `${reallocation}/receipt`, { token, headers: { accept: 'text/plain' } });
  const INPUT = JSON.stringify({ url, account: client.account_id, token, key, receipt, proof });
  const program = join(import.meta.dirname, 'in-browser.ts');
  const ran = await start(t, [process.execPath, '--experimental-vm-modules', '--no-warnings', program], { INPUT }).ended;
  assert.deepEqual([ran.code, ran.stderr], [0, '']);
  const { verified, forged, parsed, audited } = JSON.parse(ran.stdout);
  assert.equal(verified.holds, true);
  assert.deepEqual(verified.entry, JSON.parse(receipt.entry));
  assert.deepEqual(forged, { holds: false, fault: 'the proof does not lead from the entry to the checkpoint' });
  const { entry, index, checkpoint, proof: hashes } = receipt;
  assert.deepEqual(parsed, { entry, index, checkpoint, proof: hashes });
  assert.deepEqual(audited.contradictions, []);
  assert.deepEqual([audited.entries, audited.customers, audited.labels, audited.statements], [size, 1, 2, 0]);
});

test('a receipt says what does not hold', async () => {
  const faultOf = async (changed: Partial<Receipt>, trust = { key }) => {
    const result = await verifyReceipt({ ...receipt, ...changed }, trust);
    return result.holds ? undefined : result.fault;
  };
  const [name] = key.split('+');
  const stranger = formatVerifier({ name: name!, publicKey: new Uint8Array(32).fill(7) });
  const elsewhere = formatVerifier({ name: 'another.example/log', publicKey: new Uint8Array(32).fill(7) });
  const policy = { witnesses: [{ name: 'w', publicKey: new Uint8Array(32).fill(7) }], quorum: 1 };
  assert.equal(await faultOf({}), undefined);
  assert.equal(await faultOf({ checkpoint: 'text' }), 'the checkpoint is malformed');
  assert.equal(await faultOf({}, { key: elsewhere }), `the checkpoint is of ${name}, not of another.example/log`);
  assert.equal(await faultOf({}, { key: stranger }), 'the checkpoint is not signed by the key');
  const larger = receipt.checkpoint.replace(`\n${size}\n`, `\n${size + 1}\n`);
  assert.equal(await faultOf({ checkpoint: larger }), 'the checkpoint is not signed by the key');
  assert.equal(await faultOf({}, { key, policy } as never), 'too few witnesses have cosigned the checkpoint');
  assert.equal(await faultOf({ proof: ['AA=='] }), 'the proof is malformed');
  const other = toBase64(new Uint8Array(32));
  const wrong = 'the proof does not lead from the entry to the checkpoint';
  assert.equal(await faultOf({ proof: receipt.proof.with(0, other) }), wrong);
  assert.equal(await faultOf({ proof: [...receipt.proof, other] }), wrong);
  assert.equal(await faultOf({ index: receipt.index + 1 }), wrong);
  await assert.rejects(() => verifyReceipt(receipt, { key: 'text' }), TypeError);
});
