// One connection requests the largest documents thousands of times and never reads: memory and event-loop delay stay bounded.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBeside } from '../support/beside.ts';
import { openReallocations, quantile } from '../support/reallocations.ts';
import { startService } from '../support/service.ts';

const REQUESTS = 3000;
const ATTACK_MS = 8_000;
const STALL_MAX_MS = 1000;
const GROWTH_MAX_MIB = 100;
const PATHS = ['/openapi.json', '/docs/webhooks', '/nowhere', '/%zz', '/customers'];

for (const path of PATHS) {
  test(`${REQUESTS} pipelined GET ${path} with unread responses`, async (t) => {
    const first = await startService(t);
    const { port, pid } = await startBeside(t, first, { NODE_OPTIONS: '--max-old-space-size=512' });
    const reallocations = await openReallocations(first, port, 1);
    // As long as the attack: the heap of a new process grows with its first thousands of reallocations.
    await reallocations.time(sleep(ATTACK_MS));
    const before = peakOf(pid);

    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(REQUESTS));
    const took = await reallocations.time(sleep(ATTACK_MS));
    socket.destroy();

    const stallMs = took.at(-1)!;
    const growthMiB = peakOf(pid) - before;
    t.diagnostic(
      `reallocations ${took.length}, p50 ${quantile(took, 0.5).toFixed(1)} ms, longest ${stallMs.toFixed(0)} ms; memory ${before.toFixed(0)} MiB and ${growthMiB.toFixed(0)} MiB more at most`,
    );
    assert.ok(stallMs < STALL_MAX_MS, `a reallocation took ${stallMs.toFixed(0)} ms`);
    assert.ok(growthMiB < GROWTH_MAX_MIB, `memory grew by ${growthMiB.toFixed(0)} MiB`);
  });
}

/** Peak resident memory of a process in MiB. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
