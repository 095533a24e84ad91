// Commands whose database goes away while they run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProxy } from './support/database-proxy.ts';
import { runCli, settingsOf } from './support/process.ts';
import { startService } from './support/service.ts';

test('a command that loses its database says so in one line', async (t) => {
  const service = await startService(t);
  const proxy = await startProxy(t, service.databaseUrl);
  proxy.cutAt('from job', 'after');
  const { code, stdout, stderr } = await runCli(t, ['jobs', 'list'], { ...settingsOf(service), DATABASE_URL: proxy.url });
  assert.equal(proxy.cuts(), 1);
  assert.deepEqual([code, stdout, stderr], [1, '', 'The database did not answer during the command. Try again when it does.\n']);
});
