// Tests of the texts of a transfer in statements of each format: its reference, external id and correlation id.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usd } from '../../../test/support/data.ts';
import type { Body } from '../../../test/support/http.ts';
import { readPdf } from '../../../test/support/pdf.ts';
import { startService } from '../../../test/support/service.ts';

const TEXTS = { reference: 'rent of May', externalId: 'payout-17', correlationId: 'order/2026-17' };

test('every format of a statement has the reference, the external id and the correlation id', async (t) => {
  const { newCustomer, create, get, call, token } = await startService(t);
  const customer = await newCustomer();
  await create(`${customer}/deposits`, { amount: usd('10.00') });
  await create(`${customer}/deposits`, { amount: usd('20.00'), ...TEXTS });
  const month = `${customer}/statements/${new Date().toISOString().slice(0, 7)}`;
  const [, entry] = (await get(month)).accounts[0]._embedded['ledger-entries'];
  const { reference, externalId, correlationId } = entry as Body;
  assert.deepEqual({ reference, externalId, correlationId }, TEXTS);
  const { text } = await call('GET', month, { headers: { accept: 'text/csv' } });
  assert.match(text, /,deposit,rent of May,20\.00,30\.00,order\/2026-17,payout-17\r\n/);
  const headers = { accept: 'application/pdf', authorization: `Bearer ${token}` };
  const pages = await readPdf(new Uint8Array(await (await fetch(month, { headers })).arrayBuffer()));
  const shown = pages
    .map((page) => page.text)
    .join(' ')
    .replaceAll(/\s+/g, ' ');
  for (const one of ['rent of May', 'External id payout-17', 'Correlation id order/2026-17'])
    assert.equal(shown.split(one).length, 2, `${one} is once in ${shown}`);
});
