// The list of customers as a file, as it is filtered, with e-mail addresses for who may read personal data only.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { idOf } from '../../../../test/support/http.ts';
import { openSession } from '../../../../test/support/operators.ts';
import { startService } from '../../../../test/support/service.ts';
import { listAudit } from '../../../ledger/audit/audit.ts';

const shared = await startService({ after });
const CSV = '/console/customers.csv';

test('the filtered list of customers is saved as CSV, without e-mail for a viewer, and each time audited', async () => {
  const form = (businessName: string, email: string) => ({ form: { businessName, email } });
  const one = await shared.newCustomer(form('Quillfeather, Ltd', 'office@quill.example'));
  await shared.newCustomer(form('=Quillfeather "two"', 'two@quill.example'));
  await shared.newCustomer(form('Marigold', 'office@marigold.example'));
  const [finance, viewer] = [await openSession(shared, 'finance'), await openSession(shared, 'viewer')];
  const linesOf = async (load: typeof finance.load, query: string) => (await load(CSV + query)).text.trimEnd().split('\r\n');
  const [head, ...rows] = await linesOf(finance.load, '?search=quillfeather');
  assert.ok(head!.endsWith(',lastName,email'));
  const file = await fetch(shared.url + CSV, { headers: { cookie: finance.cookie, 'sec-fetch-site': 'same-origin' } });
  const content = Buffer.from(await file.arrayBuffer()).toString();
  assert.ok(content.startsWith('\uFEFFcreated,customer,'), 'with the mark by which Excel reads UTF-8');
  assert.equal(rows.length, 2);
  const [newer, older] = rows as [string, string];
  assert.ok(newer.includes(`"'=Quillfeather ""two""`) && older.includes(',"Quillfeather, Ltd",'), rows.join('\n'));
  assert.ok(older.includes(idOf(one)) && older.endsWith(',office@quill.example'));
  assert.deepEqual(await linesOf(finance.load, '?search=quillfeather&status=suspended'), [head]);
  assert.equal((await linesOf(finance.load, '?search=office%40quill')).length, 2);
  const seen = await linesOf(viewer.load, '');
  assert.ok(seen.length >= 4 && !seen.join().includes('@quill.example'));
  assert.equal((await linesOf(viewer.load, '?search=office%40quill')).length, 1, 'nor is it searched');
  const audited = await listAudit(shared.sql, { operatorId: viewer.operator.id, action: 'download_list' }, 9);
  assert.deepEqual(
    audited.map(({ detail }) => detail.list),
    ['customers', 'customers'],
  );
});
