// Tests of the log: one line per request, no sensitive data, text on a terminal, and no line lost at the end.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { customerForm, reallocation } from '../../../test/support/data.ts';
import { sendWhileLocked } from '../../../test/support/locked-label.ts';
import { startService } from '../../../test/support/service.ts';
import { waitUntil } from '../../../test/support/wait.ts';
import { openLog, toText } from './log.ts';
import { openOutage } from './outage.ts';

const run = promisify(execFile);
/** More than a pipe buffers. */
const LINES = 10_000;
const BUFFER = { maxBuffer: 2 ** 24 };
/** Of 1 kB each: more than the log buffers. */
const LINES_TOO_MANY = 25_000;

// The requests share a batch.
const service = await startService({ after }, { env: { LOG_LEVEL: 'trace', LANES: '1' }, processes: 1 });
const { call, send, port, client, logs } = service;
const lines = () => logs.map((line) => JSON.parse(line));
const lineOf = async (id: unknown) => {
  await waitUntil('the request is logged', () => lines().some(({ requestId, msg }) => requestId === id && msg === 'request'));
  const found = lines().filter(({ requestId, msg }) => requestId === id && msg === 'request');
  assert.equal(found.length, 1, 'one line');
  const { level, time, pid, hostname, msg, requestId, durationMs, ...rest } = found[0];
  assert.ok(level === 30 && durationMs >= 0 && durationMs < 60_000);
  return rest;
};
const customer = await service.newCustomer({ available: '100.00' });
const [from, to] = [await service.newLabel(customer, '50.00'), await service.newLabel(customer)];
const application = client.client_id;

test('logs each request with its operation, result and batch', async () => {
  const post = { application, method: 'POST', route: '/label-reallocations' };
  const body = reallocation(from, to, '1.00');
  const answers = await sendWhileLocked(service, from, () =>
    Array.from({ length: 10 }, () => call('POST', '/label-reallocations', { body })),
  );
  const sizes = [];
  for (const { headers } of answers) {
    const { batchSize, ...rest } = await lineOf(headers['x-request-id']);
    assert.deepEqual(rest, { ...post, status: 201, created: headers.location!.split('/').at(-1) });
    sizes.push(batchSize);
  }
  // A batch of n requests gives n lines with that size.
  for (const size of sizes) assert.equal(sizes.filter((other) => other === size).length % size, 0, String(sizes));
  assert.ok(sizes.some((size) => size > 1));

  const short = await call('POST', '/label-reallocations', { body: reallocation(from, to, '99.00') });
  const refused = { ...post, status: 400, code: 'ValidationError', fault: 'InsufficientFunds', batchSize: 1 };
  assert.deepEqual(await lineOf(short.headers['x-request-id']), refused);
  const read = await call('GET', from);
  assert.deepEqual(await lineOf(read.headers['x-request-id']), {
    application,
    method: 'GET',
    route: '/labels/:id',
    status: 200,
  });
  const unknown = await send('GET', '/nowhere/else');
  const nowhere = { method: 'GET', route: '(unknown)', status: 404, code: 'NotFound' };
  assert.deepEqual(await lineOf(unknown.headers['x-request-id']), nowhere);
  const bad = await send('GET', '/labels/%zz');
  assert.deepEqual(await lineOf(bad.headers['x-request-id']), { ...nowhere, status: 400, code: 'BadRequest' });
  const anonymous = await send('GET', '/customers');
  const stranger = { method: 'GET', route: '/customers', status: 401, code: 'InvalidAccessToken' };
  assert.deepEqual(await lineOf(anonymous.headers['x-request-id']), stranger);
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...client }).toString();
  const token = await send('POST', '/token', { form });
  const issued = { application, method: 'POST', route: '/token', status: 200 };
  assert.deepEqual(await lineOf(token.headers['x-request-id']), issued);
});

test('no line contains sensitive data, whatever the outcome of the request', async () => {
  const words = Array.from({ length: 9 }, (_, place) => `Sesame${place}open`);
  const [bearer, query, path, id, secret, name, mail, raw, basic] = words as [string, ...string[]] & string[];
  await send('GET', `/customers?token=${query}`, { token: bearer });
  await send('GET', `/${path}`);
  await send('POST', '/token', { form: `grant_type=client_credentials&client_id=${id}&client_secret=${secret}` });
  const authorization = `Basic ${Buffer.from(`x:${basic}`).toString('base64')}`;
  await send('POST', '/token', { form: 'grant_type=client_credentials', headers: { authorization } });
  await call('POST', '/label-reallocations', {
    body: { ...reallocation(from, to, '1.00'), reference: name },
    key: `${id}-key`,
  });
  await call('POST', '/webhook-subscriptions', { body: { url: 'https://example.com/hook', secret } });
  // The message of PostgreSQL for this error quotes the whole row.
  await service.sql`alter table customer add constraint broken_check check (email !~* 'sesame') not valid`;
  const broken = await call('POST', '/customers', {
    body: { ...customerForm(), firstName: name, email: `${mail}@example.com` },
  });
  assert.equal(broken.status, 500);
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET / HTTP/1.1\r\nAuthorization ${raw}\r\n\r\n`);
  await waitUntil('the request is refused', () => logs.some((line) => line.includes('unreadable request')));
  assert.ok(logs.some((line) => line.includes('broken_check')));

  const text = logs.join('').toLowerCase();
  const values = [...words, authorization, authorization.slice(6), client.token, client.client_secret, '987-65-4321'];
  for (const value of values) assert.ok(!text.includes(value.toLowerCase()), value);
});

test('redacts members with secret names, and what an error carries, even when they are logged', () => {
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => void lines.push(line) });
  for (const name of ['authorization', 'headers', 'body', 'client_secret', 'secret', 'password', 'token', 'access_token']) {
    log.info({ [name]: { deep: 'sesame' } }, 'logged');
    log.child({ requestId: 'x' }).info({ [name]: 'sesame' }, 'logged');
  }
  const row = { detail: 'Failing row contains (sesame).', where: 'sesame', parameters: ['sesame'] };
  const cause = Object.assign(new Error('inner'), row);
  log.error({ err: Object.assign(new Error('outer', { cause }), row, { code: '23514' }) }, 'failed');
  log.error({ err: 'only words' }, 'failed');
  assert.ok(!lines.join('').includes('sesame'));
  const [outer, words] = lines.slice(-2).map((line) => JSON.parse(line).err);
  assert.deepEqual([outer.type, outer.message, outer.code, outer.causes[0].message], ['Error', 'outer', '23514', 'inner']);
  assert.match(outer.stack, /^Error: outer\n +at /);
  assert.deepEqual(words, { message: 'only words' });
});

test('writes text on a terminal', () => {
  const line = { level: 30, time: new Date(2026, 0, 2, 3, 4, 5, 6).getTime(), pid: 1, hostname: 'here', msg: 'request' };
  const request = { ...line, requestId: 'r', method: 'GET', route: '/labels/:id', status: 200, durationMs: 1.5 };
  const text = (line: Parameters<typeof toText>[0]) => stripVTControlCharacters(toText(line));
  assert.equal(text(request), '03:04:05.006 INFO  200 GET /labels/:id 1.5 ms requestId=r\n');
  const { status, ...gone } = request;
  assert.equal(text({ ...gone, aborted: true }), '03:04:05.006 INFO  aborted GET /labels/:id 1.5 ms requestId=r aborted=true\n');
  const failed = { ...line, level: 50, msg: 'failed', err: { message: 'm', stack: 'Error: m\n    at x' }, count: 2 };
  assert.equal(text(failed), '03:04:05.006 ERROR failed count=2\nError: m\n    at x\n');
  assert.equal(text({ ...line, msg: 'a\u001b[2Jb\u0007c\rd' }), '03:04:05.006 INFO  ab\ufffdc\ufffdd\n');
});

test('a process that ends or fails has written every line', async () => {
  const path = JSON.stringify(new URL('log.ts', import.meta.url).href);
  const script = (end: string, first = '') =>
    `${first}const { openLog } = await import(${path});
     const log = openLog('info');
     for (let n = 0; n < ${LINES}; n++) log.info({ n }, 'logged');
     ${end}`;
  const outputOf = async (text: string) => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', text], BUFFER).catch((error) => error);
    return stdout as string;
  };
  const [ended, exited, failed, seen] = await Promise.all([
    outputOf(script('')),
    outputOf(script('process.exit(3)')),
    outputOf(script('throw new Error("x")')),
    outputOf(script('', 'process.stdout.isTTY = true;')),
  ]);
  for (const output of [ended, exited, failed]) {
    const written = output.trimEnd().split('\n');
    assert.deepEqual(
      written.map((line) => JSON.parse(line).n),
      Array.from({ length: LINES }, (_, n) => n),
    );
  }
  assert.match(seen, /^\d\d:\d\d:\d\d\.\d{3} INFO {2}logged .*n=0/);
});

test('a reader that stalls does not block: excess lines are dropped, counted, and reported once it continues', async (t) => {
  const here = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    import { once } from 'node:events';
    const { openLog } = await import(${here('log.ts')});
    const { openRegistry } = await import(${here('registry.ts')});
    const { registerProcessMetrics } = await import(${here('process.ts')});
    const registry = openRegistry();
    registerProcessMetrics(registry, { dataDir: '/' });
    const log = openLog('info');
    const text = 'x'.repeat(1000);
    for (let n = 0; n < ${LINES_TOO_MANY}; n++) {
      log.info({ n, text });
      if (n % 100 === 0) await new Promise(setImmediate);
    }
    process.stderr.write(await registry.expose());
    process.stdin.resume();
    await once(process.stdin, 'end');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let metrics = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    metrics += text;
  });
  await waitUntil('everything is logged although nothing is read', () => metrics.includes('earmark_log_lines_dropped_total '));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  await waitUntil('the number of dropped lines is reported', () => /"lines":\d+.*dropped.*\n/.test(output));
  child.stdin.end();
  await ended;
  const entries = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kept = entries.filter(({ n }) => n !== undefined);
  assert.deepEqual(
    kept.map(({ n }) => n),
    Array.from(kept, (_, n) => n),
  );
  assert.ok(kept.length > 15_000, 'the buffer is used in full');
  const [report, ...others] = entries.filter(({ lines }) => lines !== undefined);
  assert.deepEqual([report.level, report.lines, others.length], [40, LINES_TOO_MANY - kept.length, 0]);
  assert.equal(Number(/^earmark_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]), report.lines);
});

test('logs a repeated error once, and calls it resolved only after a success', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const messages: string[] = [];
  const note = (fields: object, message: string) => messages.push('times' in fields ? `${message} (${fields.times})` : message);
  const log = { warn: note, info: note } as unknown as Parameters<typeof openOutage>[0];
  const away = new Error('away');
  const frequent = openOutage(log, 'frequent');
  const rare = openOutage(log, 'rare', { untilSuccess: true });
  rare.end();
  for (const outage of [frequent, rare, frequent]) outage.note(away);
  t.mock.timers.tick(10_000);
  rare.note(away);
  rare.end();
  rare.note(away);
  assert.deepEqual(messages, ['frequent', 'rare', 'no further errors for 10 s: frequent (2)', 'resolved: rare (2)', 'rare']);
});
