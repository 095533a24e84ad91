// Response content: compression by content negotiation, and one entity tag per representation.
import assert from 'node:assert/strict';
import http, { type IncomingHttpHeaders } from 'node:http';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { customerForm } from './support/data.ts';
import { HAL } from './support/http.ts';
import { startService } from './support/service.ts';

type Raw = { status: number; headers: IncomingHttpHeaders; content: Buffer };

const service = await startService({ after }, { env: { CORS_ORIGINS: 'none' } });
const customer = await service.newCustomer({ available: '100.00' });
for (let n = 0; n < 5; n++) await service.newLabel(customer, '1.00');

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
const documents = ['/openapi.json', '/docs', '/docs/guides/errors', '/docs/reference/createCustomer', '/metrics'];

test('compresses a response over 1 kB as the client prefers, and sends Vary', async () => {
  const list = await ask('GET', `${customer}/labels`);
  assert.ok(list.content.length > 1000);
  assert.deepEqual([list.headers['content-encoding'], list.headers.vary], [undefined, 'Accept-Encoding']);
  for (const [accepted, encoding] of [
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['gzip ; q=0.1', 'gzip'],
    ['gzip;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['deflate, zstd', undefined],
    ['gzip;q=high', undefined],
    ['', undefined],
  ] as const) {
    const answer = await ask('GET', `${customer}/labels`, { 'accept-encoding': accepted });
    assert.deepEqual(
      [answer.status, answer.headers['content-encoding'], answer.headers.vary],
      [200, encoding, 'Accept-Encoding'],
    );
    assert.equal(answer.headers['content-type'], `${HAL}; charset=utf-8`);
    assert.equal(answer.headers['content-length'], String(answer.content.length), accepted);
    assert.deepEqual(encoding ? decoders[encoding](answer.content) : answer.content, list.content, accepted);
  }
});

test('sends short responses and responses without content uncompressed', async () => {
  const label = await service.newLabel(customer);
  for (const [method, path] of [
    ['GET', label],
    ['GET', '/health/live'],
    ['GET', '/nowhere'],
    ['DELETE', label],
  ] as const) {
    const { headers, content } = await ask(method, path, { 'accept-encoding': 'br' });
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, undefined], path);
    assert.ok(content.length < 1000);
  }
  const body = { amount: { value: '0', currency: 'USD' } };
  const made = await service.call('POST', `${customer}/labels`, { body, headers: { 'accept-encoding': 'br' } });
  assert.deepEqual(
    [made.status, made.text, made.headers['content-encoding'], made.headers.vary],
    [201, '', undefined, undefined],
  );
});

test('compresses an error over 1 kB, without an entity tag', async () => {
  const headers = { 'accept-encoding': 'gzip', 'content-type': HAL };
  const refused = Object.fromEntries(
    Object.keys(customerForm()).map((name) => [name, name === 'type' ? 'business' : 'x'.repeat(300)]),
  );
  const { status, headers: answered, content } = await ask('POST', '/customers', headers, JSON.stringify(refused));
  assert.deepEqual([status, answered['content-encoding'], answered.etag], [400, 'gzip', undefined]);
  assert.equal(JSON.parse(gunzipSync(content).toString()).code, 'ValidationError');
});

test('gives each representation its own tag, answers 304 to a matching one, and answers HEAD like GET', async () => {
  for (const path of [`${customer}/labels`, '/', ...documents.filter((path) => path !== '/metrics')]) {
    const tags = new Set<string>();
    for (const encoding of ['identity', 'gzip', 'br'] as const) {
      const given = { 'accept-encoding': encoding };
      const answer = await ask('GET', path, given);
      const tag = answer.headers.etag!;
      assert.match(tag, /^"[A-Za-z0-9_-]{20,}"$/, path);
      tags.add(tag);
      const head = await ask('HEAD', path, given);
      assert.deepEqual([head.status, head.content.length], [200, 0]);
      for (const name of ['etag', 'vary', 'content-encoding', 'content-type', 'content-length'])
        assert.equal(head.headers[name], answer.headers[name], `${name} of ${path}`);
      for (const method of ['GET', 'HEAD']) {
        const known = await ask(method, path, { ...given, 'if-none-match': `"x", W/${tag}` });
        assert.deepEqual([known.status, known.content.length, known.headers.etag], [304, 0, tag], `${method} ${path}`);
        assert.deepEqual([known.headers['content-encoding'], known.headers['content-type']], [undefined, undefined]);
        assert.equal(known.headers.vary, answer.headers.vary);
      }
    }
    assert.equal(tags.size, path === '/' ? 1 : 3, path);
  }
});

test('compresses documents, with the same bytes for every request', async () => {
  for (const path of documents) {
    const plain = await ask('GET', path);
    for (const encoding of ['gzip', 'br'] as const) {
      const [first, second] = await Promise.all([1, 2].map(() => ask('GET', path, { 'accept-encoding': encoding })));
      assert.deepEqual([first!.status, first!.headers['content-encoding']], [200, encoding], path);
      assert.ok(first!.content.length < plain.content.length / 2, path);
      if (path === '/metrics') continue;
      assert.deepEqual(decoders[encoding](first!.content), plain.content, path);
      assert.deepEqual(second!.content, first!.content, path);
    }
  }
});

/** Sends a request without decoding the response. */
function ask(method: string, path: string, headers: http.OutgoingHttpHeaders = {}, body?: string): Promise<Raw> {
  const url = new URL(path, service.url);
  const how = { host: '127.0.0.1', port: service.port, method, path: url.pathname, agent: false as const };
  const common = { accept: HAL, authorization: `Bearer ${service.token}` };
  return new Promise((resolve, reject) => {
    const request = http.request({ ...how, headers: { ...common, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
      answer.on('end', () => {
        resolve({ status: answer.statusCode!, headers: answer.headers, content: Buffer.concat(chunks) });
      });
    });
    request.on('error', reject).end(body);
  });
}
