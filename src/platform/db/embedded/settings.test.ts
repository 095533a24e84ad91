// Tests of the settings of the embedded PostgreSQL by machine size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeSettings, thisMachine } from './settings.ts';

const MEGABYTE = 2 ** 20;
const of = (memoryMb: number, cpus = 2) => sizeSettings({ memoryBytes: memoryMb * MEGABYTE, cpus });
const mb = (value: string | undefined) => Number(/^(\d+)MB$/.exec(value ?? '')?.[1]);

test('a small machine leaves memory for the service', () => {
  assert.deepEqual(of(512, 1), {
    shared_buffers: '128MB',
    effective_cache_size: '256MB',
    maintenance_work_mem: '16MB',
    work_mem: '2MB',
    wal_buffers: '8MB',
    max_wal_size: '512MB',
    min_wal_size: '128MB',
    checkpoint_timeout: '15min',
    max_parallel_workers: '0',
  });
  assert.equal(of(64).shared_buffers, '32MB');
});

test('a large machine gets more memory, up to a limit', () => {
  assert.deepEqual(of(65_536, 16), {
    shared_buffers: '1024MB',
    effective_cache_size: '32768MB',
    maintenance_work_mem: '256MB',
    work_mem: '16MB',
    wal_buffers: '16MB',
    max_wal_size: '2048MB',
    min_wal_size: '512MB',
    checkpoint_timeout: '15min',
    max_parallel_workers: '8',
  });
});

test('every size is whole, grows with the machine, and fits in total', () => {
  let before = of(256);
  for (let memoryMb = 256; memoryMb <= 2 ** 21; memoryMb = Math.ceil(memoryMb * 1.37)) {
    const settings = of(memoryMb);
    for (const [name, value] of Object.entries(settings).filter(([, value]) => value.endsWith('MB'))) {
      assert.match(value, /^[1-9][0-9]*MB$/, name);
      assert.ok(mb(value) >= mb(before[name]), name);
    }
    const taken = mb(settings.shared_buffers) + 3 * mb(settings.maintenance_work_mem) + mb(settings.wal_buffers);
    assert.ok(taken <= memoryMb / 2, `${taken} MB of ${memoryMb}`);
    before = settings;
  }
});

test('PostgreSQL starts with the settings of this machine', () => {
  const { memoryBytes, cpus } = thisMachine();
  assert.ok(memoryBytes >= 64 * MEGABYTE && memoryBytes < 2 ** 50);
  assert.ok(Number.isInteger(cpus) && cpus >= 1);
});
