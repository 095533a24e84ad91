// The check of the test suite for leaked sealed data fails for a response, a log line and a process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customerForm } from './support/data.ts';
import { startService } from './support/service.ts';

const SSN = '912-34-8765';

test('a sealed value in a response fails the call, and one in a log line fails the test', async (t) => {
  const endings: (() => Promise<void>)[] = [];
  const { call, service, stop } = await startService({ after: (end) => void endings.push(end) });
  t.after(stop);
  // An ssn sent as a name is answered as well.
  const made = await call('POST', '/customers', { body: { ...customerForm(), ssn: SSN, firstName: SSN.replaceAll('-', '') } });
  assert.equal(made.status, 201, made.text);
  await assert.rejects(call('GET', made.headers.location!), /a sealed value, 912348765, is in: /);
  service.log.info({ given: SSN }, 'looked at');
  await assert.rejects(endings[0]!(), /a sealed value, 912-34-8765, is in: /);
});
