// 32 keep-alive clients without a token send requests as fast as they can: the p50 of a reallocation at most doubles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBeside } from '../support/beside.ts';
import { startClients } from '../support/keep-alive-clients.ts';
import { ascending, openReallocations, quantile } from '../support/reallocations.ts';
import { startService } from '../support/service.ts';

const CLIENTS = 32;
const MOVERS = 4;
const WARM_UP_MS = 3000;
const ROUNDS = 10;
const ROUND_MS = 500;
const P50_MAX_TIMES = 2;

const bad = 'grant_type=client_credentials&client_id=nobody&client_secret=guess';
const requests: Record<string, string> = {
  'GET /openapi.json': get('/openapi.json'),
  'GET /openapi.json compressed': get('/openapi.json', 'Accept-Encoding: br\r\n'),
  'GET /docs': get('/docs'),
  'GET /.well-known/jwks.json': get('/.well-known/jwks.json'),
  'GET /health/ready': get('/health/ready'),
  'GET of an unknown route': get('/nowhere'),
  'GET with a bad token': get('/customers', 'Authorization: Bearer a.b.c\r\n'),
  'POST /token with a wrong secret': `POST /token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${bad.length}\r\n\r\n${bad}`,
};

test(`${CLIENTS} keep-alive clients without a token`, async (t) => {
  const first = await startService(t);
  const { port } = await startBeside(t, first);
  const reallocations = await openReallocations(first, port, MOVERS);
  await reallocations.time(sleep(WARM_UP_MS));
  for (const [name, request] of Object.entries(requests)) {
    await t.test(name, async (t) => {
      const clients = startClients({ port, clients: CLIENTS, request });
      const took: { alone: number[]; beside: number[] } = { alone: [], beside: [] };
      // In short rounds, so that other load of the machine affects both.
      for (let round = 0; round < ROUNDS; round++) {
        took.beside.push(...(await reallocations.time(sleep(ROUND_MS))));
        clients.pause();
        took.alone.push(...(await reallocations.time(sleep(ROUND_MS))));
        clients.resume();
      }
      const answers = await clients.end();
      const [alone, beside] = [took.alone, took.beside].map((all) => quantile(all.sort(ascending), 0.5)) as [number, number];
      const rate = Math.round(answers / ((ROUNDS * ROUND_MS) / 1000));
      t.diagnostic(
        `p50 of a reallocation: ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside ${rate} answers a second`,
      );
      assert.ok(beside <= alone * P50_MAX_TIMES, `${beside.toFixed(1)} ms is over ${P50_MAX_TIMES} × ${alone.toFixed(1)} ms`);
    });
  }
});

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}
