// Tests of the places of checkpoints: a bucket, and a folder that is missing.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeDatabase } from '../../../test/support/database.ts';
import { coveredLog } from '../../../test/support/logs.ts';
import { assertOneLine, runCli, scratch } from '../../../test/support/process.ts';
import { CREDENTIALS, startS3 } from '../../../test/support/s3.ts';
import { openLabels, startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { ConfigError, readConfig } from '../../platform/config/config.ts';

const BUCKET = 'checkpoints';

test('the newest checkpoint is in the bucket before it is served, decides about another server, and waits for a bucket that is away', async (t) => {
  const s3 = await startS3(t, BUCKET);
  const service = await startService(t, { env: { ...CREDENTIALS, CHECKPOINT_DIR: s3.address } });
  const { sql, logs } = service;
  const account = await openLabels(service);
  const id = account.client.account_id;
  const key = `${id}.checkpoint`;
  const spend = () => account.create('/label-reallocations', account.reallocation(account.from, account.to, '1.00'));
  const served = async () => (await account.call('GET', `/accounts/${id}/log/checkpoint`)).text;
  const { note } = await coveredLog(account);
  assert.equal(s3.read(key).toString(), note);

  await sql`update transparency_log set server = 'other/00000001' where account_id = ${id}`;
  await spend();
  const later = await coveredLog(account);
  assert.equal(s3.read(key).toString(), later.note, 'a log that contains its newest checkpoint goes on');

  await s3.stop();
  await spend();
  await waitUntil('the log reports it', () => logs.some((line) => line.includes(`s3://${BUCKET}/${key} cannot be read`)));
  assert.equal(await served(), later.note, 'nothing is signed, and money moves');
  await s3.start();
  const last = await coveredLog(account);
  assert.ok(last.size > later.size);
  assert.equal(s3.read(key).toString(), last.note);
});

test('a folder that does not exist is not made: its disk may not be mounted', async (t) => {
  const folder = join(scratch(t), 'mount', 'checkpoints');
  const env = {
    ...{ DATABASE_URL: await makeDatabase(t), DATA_DIR: join(scratch(t), 'data'), MODE: 'sandbox', PORT: '0' },
    CHECKPOINT_DIR: folder,
  };
  assertOneLine(await runCli(t, ['serve'], env), /^CHECKPOINT_DIR \S+ cannot be used: ENOENT\. Mount its disk\. .*\n$/);
  assert.equal(existsSync(folder), false);
});

test('a wrong address, missing credentials and a bucket that refuses are one line each', async (t) => {
  const s3 = await startS3(t, BUCKET);
  const config = (env: Record<string, string>) => () => readConfig({ MODE: 'sandbox', ...env });
  assert.throws(config({ CHECKPOINT_DIR: 's3:///checkpoints' }), (error: ConfigError) => {
    assert.ok(error instanceof ConfigError);
    return /^CHECKPOINT_DIR must be a folder, or s3:\/\/bucket\?endpoint=/.test(error.message);
  });
  assert.throws(config({ CHECKPOINT_DIR: s3.address }), /^Error: CHECKPOINT_DIR on s3:\/\/ needs AWS_ACCESS_KEY_ID/);
  const env = {
    ...{ DATABASE_URL: await makeDatabase(t), DATA_DIR: join(scratch(t), 'data'), MODE: 'sandbox', PORT: '0' },
    ...{ CHECKPOINT_DIR: s3.address.replace(BUCKET, 'absent'), ...CREDENTIALS },
  };
  assertOneLine(
    await runCli(t, ['serve'], env),
    /^CHECKPOINT_DIR s3:\/\/absent at http:\/\/127\.0\.0\.1:\d+ cannot be used: 404 NoSuchBucket\. .* permissions to put and get objects\.\n$/,
  );
});
