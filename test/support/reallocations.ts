// A load of sequential reallocations by a few clients, with their latencies.
import assert from 'node:assert/strict';
import http from 'node:http';
import { HAL } from './http.ts';
import type { TestService } from './service.ts';

export type Reallocations = {
  /** Sends reallocations until `until` settles; returns the sorted latencies in milliseconds. */
  time(until: Promise<unknown>): Promise<number[]>;
};

/** Each client has two labels and a connection. `port` is that of the process under load. */
export async function openReallocations(service: TestService, port: number, clients: number): Promise<Reallocations> {
  const pairs: (readonly [string, string])[] = [];
  for (let n = 0; n < clients; n++) {
    const customer = await service.newCustomer({ available: '1000000.00' });
    pairs.push([await service.newLabel(customer, '500000.00'), await service.newLabel(customer, '500000.00')]);
  }
  const agent = new http.Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': HAL };
  const send = (body: string) =>
    new Promise<number>((resolve, reject) => {
      const began = performance.now();
      const request = http.request({ agent, port, host: '127.0.0.1', method: 'POST', path: '/label-reallocations', headers });
      request.on('error', reject);
      request.on('response', (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 201) resolve(performance.now() - began);
          else reject(new Error(`${response.statusCode}`));
        });
      });
      request.end(body);
    });
  return {
    async time(until) {
      const took: number[] = [];
      let isOver = false;
      const ended = until.finally(() => {
        isOver = true;
      });
      const run = async ([from, to]: readonly [string, string]) => {
        const body = JSON.stringify(service.reallocation(from, to, '0.01'));
        while (!isOver) took.push(await send(body));
      };
      await Promise.all([ended, ...pairs.map(run)]);
      assert.ok(took.length > 0, 'no reallocation was answered');
      return took.sort(ascending);
    },
  };
}

/** The value at a quantile of sorted values. */
export function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function ascending(a: number, b: number): number {
  return a - b;
}
