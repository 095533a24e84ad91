// The documents that the screen Sandbox makes show a reviewer what the reader does, and leave something to decide.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { HANGS_MS, waitUntil } from '../../../../test/support/wait.ts';

/** Every third one has no zone. Of six portraits that all show one figure, some pair is taken for one person. */
const ASKED = 9;

test('a scripted passport that waits was read field by field, and is not taken for that of another person', async (t) => {
  const service = await startService(t, { env: { SANDBOX_REVIEW_DELAY_MS: '0' } });
  const { load, submit } = await openSession(service, 'admin');
  const account = service.client.account_id;
  const added = await submit('/console/sandbox/documents', { account, script: 'waiting', count: String(ASKED) });
  assert.equal(added.status, 303, added.text);
  const read = async () => (await service.sql`select distinct document_id from document_reading`).length;
  await waitUntil('the documents are read', async () => (await read()) === ASKED, HANGS_MS);
  const documents = await service.sql<{ id: string; status: string }>`select id, status from document order by id`;
  assert.deepEqual(
    documents.map(({ status }) => status),
    Array(ASKED).fill('pending'),
  );
  const pages = await Promise.all(documents.map(async ({ id }) => (await load(`/console/review/${id}`)).text));
  for (const page of pages) assert.ok(!page.includes('was submitted for another person'));
  const [long, double, unread] = [pages[0]!, pages[1]!, pages[2]!];
  for (const page of [long, double]) assert.match(page, /data-crop="[^"]+"/);
  assert.match(long, /expires in more than 10 years/);
  assert.match(double, /A person decides: /);
  assert.match(unread, /No machine-readable zone was found/);
});
