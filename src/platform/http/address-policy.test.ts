// Tests of the guard: no spelling of an address, no name and no DNS change sends a webhook to a private address.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { type Address, createAddressPolicy, isPublicAddress } from './address-policy.ts';
import { openSender } from './send.ts';

const sandbox = { mode: 'sandbox', webhookAllowPrivate: false, webhookPorts: undefined } as const;
const production = { mode: 'production', webhookAllowPrivate: false, webhookPorts: [443] } as const;

const PRIVATE = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '1::1',
  '4000::1',
  'e000::1',
  'not an address',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '11.0.0.1',
  '::ffff:8.8.8.8',
  '2606:4700::1111',
];

test('allows only addresses of the public internet', () => {
  assert.ok(PRIVATE.length >= 40);
  assert.deepEqual(PRIVATE.filter(isPublicAddress), []);
  assert.deepEqual(
    PUBLIC.filter((address) => !isPublicAddress(address)),
    [],
  );
});

test('refuses a name that resolves to a private address when it connects', async () => {
  const lookup = (addresses: string[], all: boolean) =>
    new Promise((resolve) => {
      const found = addresses.map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 }));
      createAddressPolicy(sandbox, async () => found).lookup('hooks.example', { all }, (error, address) =>
        resolve(error?.message ?? address),
      );
    });
  for (const address of PRIVATE) {
    const refused = 'hooks.example resolves to a private or local address.';
    assert.equal(await lookup([address], true), refused, address);
    assert.equal(await lookup(['1.1.1.1', address], false), refused, address);
  }
  assert.deepEqual(await lookup(['1.1.1.1', '2606:4700::1111'], true), [
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  assert.equal(await lookup(['8.8.8.8'], false), '8.8.8.8');
  assert.match(String(await lookup([], true)), /no address/);
});

const REFUSED_URLS = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://0/',
  'https://127.0.0.1./',
  'https://①②⑦.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[fd00:ec2::254]/',
  'https://localhost/',
  'https://localhost./',
  'https://LOCALHOST/',
  'https://a.localhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://example.com:22/',
  'https://example.com:8443/',
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  '//example.com/',
  'example.com',
  '',
];

test('URLs: requires https in production, and refuses credentials, unusual ports and local hosts in any spelling', () => {
  const guard = createAddressPolicy(production);
  assert.deepEqual(
    REFUSED_URLS.filter((url) => guard.faultOf(url) === undefined),
    [],
  );
  assert.equal(guard.faultOf('https://example.com/hook?a=b'), undefined);
  assert.equal(guard.faultOf('https://1.1.1.1/'), undefined);
  assert.equal(
    createAddressPolicy({ ...production, mode: 'sandbox', webhookPorts: [80] }).faultOf('http://example.com/'),
    undefined,
  );
  const lenient = createAddressPolicy({ ...sandbox, webhookAllowPrivate: true });
  assert.deepEqual(
    ['http://localhost:3000/hook', 'http://127.0.0.1:1/', 'http://[::1]:9999/'].map((url) => lenient.faultOf(url)),
    [undefined, undefined, undefined],
  );
});

test('a DNS answer that changes between check and connection sends nothing', async (t) => {
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  const answers = [['1.1.1.1'], ['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1']];
  let asked = 0;
  const guard = createAddressPolicy(sandbox, async () =>
    answers[asked++]!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
  const url = `http://rebind.example:${port}/hook`;
  assert.equal(guard.faultOf(url), undefined);
  const checked = await new Promise((resolve) =>
    guard.lookup('rebind.example', { all: false }, (_, address) => resolve(address)),
  );
  assert.equal(checked, '1.1.1.1');
  const sender = openSender(guard);
  t.after(sender.close);
  while (asked < answers.length) {
    const { error, answer } = await sender.send({ url, headers: [], body: '{}' });
    assert.match(error ?? '', /private or local address/);
    assert.equal(answer, undefined);
  }
  assert.equal(receiver.received.length, 0);
});

test('checks an address in the URL although no name is resolved', async (t) => {
  const receiver = await startReceiver(t);
  const sender = openSender(createAddressPolicy(sandbox));
  t.after(sender.close);
  const { port } = new URL(receiver.url);
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'localhost.']) {
    const { error } = await sender.send({ url: `http://${host}:${port}/hook`, headers: [], body: '{}' });
    assert.match(error ?? '', /private or local/, host);
  }
  assert.equal(receiver.received.length, 0);
});
