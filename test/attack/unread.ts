// Many connections request a large document and read nothing: each is closed, and its memory freed.
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startBeside } from '../support/beside.ts';
import { startService } from '../support/service.ts';
import { waitUntil } from '../support/wait.ts';

const CONNECTIONS = 200;
const TIMEOUT_SECONDS = 5;

test(`${CONNECTIONS} connections that read nothing`, async (t) => {
  const first = await startService(t);
  const { port, pid } = await startBeside(t, first, { RESPONSE_TIMEOUT_SECONDS: `${TIMEOUT_SECONDS}` });
  const before = socketsOf(pid);
  const began = performance.now();
  for (let n = 0; n < CONNECTIONS; n++) {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(10));
    t.after(() => void socket.destroy());
  }
  await waitUntil('all are open', () => socketsOf(pid) >= before + CONNECTIONS);
  await waitUntil('all ended', () => socketsOf(pid) <= before);
  const seconds = (performance.now() - began) / 1000;
  t.diagnostic(`${CONNECTIONS} connections ended after ${seconds.toFixed(1)} s, of ${TIMEOUT_SECONDS} s without progress`);
  assert.ok(seconds >= TIMEOUT_SECONDS, 'not before their time');
});

function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => linkOf(`${folder}/${name}`).startsWith('socket:')).length;
}

/** The target of an open file; nothing when it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
