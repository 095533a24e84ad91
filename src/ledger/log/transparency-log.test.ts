// Tests of the transparency log over HTTP: checkpoints, tiles, entries and receipts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseEntry } from '../../../packages/proof/src/entry.ts';
import { parseCheckpoint, parseVerifier } from '../../../packages/proof/src/note.ts';
import { isSignedBy } from '../../../packages/proof/src/sign.ts';
import { EMPTY_ROOT, hashLeaf, rootOfProof } from '../../../packages/proof/src/tree.ts';
import { assertRefused } from '../../../test/support/http.ts';
import { coveredLog, firstCheckpoint, readLog } from '../../../test/support/logs.ts';
import { openLabels, startService } from '../../../test/support/service.ts';

const shared = await startService({ after });
const accountOf = (service: { url: string; client: { account_id: string } }) =>
  `${service.url}/accounts/${service.client.account_id}`;

test('an empty account has a signed checkpoint of nothing', async () => {
  const service = { ...shared, ...(await shared.newPlatform()) };
  const account = accountOf(service);
  const { log } = await service.get(account);
  assert.equal(log.origin, account.replace(/^http:\/\//, '').concat('/log'));
  const { status, text, headers } = await firstCheckpoint(service, account, { accept: 'image/png' });
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(parseCheckpoint(text), { origin: log.origin, size: 0, root: EMPTY_ROOT });
  assert.equal(text.split('\n').length, 6, 'three lines, an empty one and a signature');
  assert.ok(isSignedBy(text, parseVerifier(log.key)!));
  assert.equal(isSignedBy(text.replace('\n0\n', '\n1\n'), parseVerifier(log.key)!), false);
  assertRefused(await service.call('GET', `${account}/log/tile/0/000`), { status: 404, code: 'NotFound' });
});

test('entries are the events of the feed with their money, in order', async () => {
  const service = await openLabels(shared);
  await service.create('/label-reallocations', service.reallocation(service.from, service.to, '25.00'));
  const { entries } = await readLog(service, await coveredLog(service));
  const { events } = (await service.get('/events?order=oldest&limit=200'))._embedded;
  assert.deepEqual(
    entries.map(({ id, topic, created, resourceId }) => ({ id, topic, created, resourceId })),
    events.map(({ id, topic, created, resourceId }: Record<string, string>) => ({ id, topic, created, resourceId })),
  );
  const [deposit, funding] = entries.filter(({ amount }) => amount !== undefined);
  assert.deepEqual(
    { ...deposit, id: '', created: '', resourceId: '', from: '', to: '', customer: '' },
    {
      ...{ id: '', created: '', resourceId: '', from: '', to: '', customer: '', topic: 'customer_deposit_created' },
      ...{ amount: '1000.00', currency: 'USD', fromBalance: '-1000.00', fromSequence: 1, toBalance: '1000.00', toSequence: 1 },
    },
  );
  assert.equal(funding!.topic, 'customer_label_ledger_entry_created');
  assert.deepEqual([funding!.from, funding!.fromSequence, funding!.fromBalance], [deposit!.to, 2, '900.00']);
  assert.equal(funding!.to, service.from.split('/').at(-1));
  assert.deepEqual([entries.at(-1)!.fromBalance, entries.at(-1)!.toBalance, entries.at(-1)!.toSequence], ['75.00', '25.00', 1]);
});

test('a receipt leads from the entry to the checkpoint, as JSON and as a tlog-proof', async () => {
  const service = await openLabels(shared);
  const reallocation = await service.create('/label-reallocations', service.reallocation(service.from, service.to, '1.00'));
  const early = await service.call('GET', `${reallocation}/receipt`);
  if (early.status !== 200) {
    assertRefused(early, { status: 503, code: 'ServiceUnavailable' });
    assert.ok(Number(early.headers['retry-after']) > 0);
  }
  await coveredLog(service);
  const { entry, index, checkpoint, proof } = await service.get(`${reallocation}/receipt`);
  const { size, root } = parseCheckpoint(checkpoint)!;
  const hashes = proof.map((hash: string) => Buffer.from(hash, 'base64'));
  assert.deepEqual(rootOfProof(hashLeaf(Buffer.from(entry)), { index, size, proof: hashes }), root);
  assert.equal(parseEntry(Buffer.from(entry)).resourceId, reallocation.split('/').at(-1));
  const text = await service.send('GET', `${reallocation}/receipt`, { token: service.token, headers: { accept: 'text/plain' } });
  assert.equal(text.headers['content-type'], 'text/plain; charset=utf-8');
  const { paths } = (await service.call('GET', '/openapi.json')).body;
  const { content } = paths['/label-reallocations/{id}/receipt'].get.responses[200];
  assert.deepEqual(Object.keys(content), ['application/vnd.earmark.v1.hal+json', 'text/plain']);
  const [header, extra, place, ...rest] = text.text.split('\n');
  assert.deepEqual([header, place], ['c2sp.org/tlog-proof@v1', `index ${index}`]);
  assert.equal(Buffer.from(extra!.slice('extra '.length), 'base64').toString(), entry);
  assert.deepEqual(rest.slice(0, proof.length + 1), [...proof, '']);
  assert.equal(rest.slice(proof.length + 1).join('\n'), checkpoint);
  assertRefused(await service.call('GET', `${reallocation}/receipt`, { headers: { accept: 'image/png' } }), {
    status: 406,
    code: 'InvalidVersion',
  });
});

test('partial tiles of published checkpoints are served until they are full, and no other widths', async () => {
  const service = await openLabels(shared);
  const account = accountOf(service);
  const sizes = [(await coveredLog(service)).size];
  await service.create('/label-reallocations', service.reallocation(service.from, service.to, '1.00'));
  sizes.push((await coveredLog(service)).size);
  const tile = (path: string) => service.send('GET', `${account}/log/tile/${path}`, { token: service.token });
  for (const size of sizes) {
    const { status, headers } = await tile(`0/000.p/${size}`);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/octet-stream');
    assert.equal(headers['cache-control'], 'private, max-age=31536000, immutable');
    assert.equal((await tile(`entries/000.p/${size}`)).status, 200);
  }
  const wrong = [
    `0/000.p/${sizes[1]! + 1}`,
    '0/000',
    'entries/000',
    '0/0.p/1',
    `0/00.p/${sizes[0]}`,
    '1/000.p/1',
    '0/001.p/1',
    '0/000.p/0',
  ];
  for (const path of wrong) assert.equal((await tile(path)).status, 404, path);
  while ((await coveredLog(service)).size < 256) {
    await Promise.all(
      Array.from({ length: 60 }, () =>
        service.create('/label-reallocations', service.reallocation(service.from, service.to, '0.01')),
      ),
    );
  }
  for (const path of ['0/000', 'entries/000', '1/000.p/1']) assert.equal((await tile(path)).status, 200, path);
  await readLog(service, await coveredLog(service));
});

test('only the account reads its log', async () => {
  const service = await openLabels(shared);
  const { size } = await coveredLog(service);
  const stranger = await shared.newClient();
  for (const path of ['checkpoint', `tile/0/000.p/${size}`]) {
    const refused = await service.call('GET', `${accountOf(service)}/log/${path}`, { token: stranger.token });
    assertRefused(refused, { status: 403, code: 'Forbidden' });
    const missing = await service.call('GET', `${shared.nowhere('account')}/log/${path}`);
    assertRefused(missing, { status: 404, code: 'NotFound' });
  }
});
