// Metrics of the process (CPU, memory, files, garbage collection, event loop), under the names that Node.js dashboards use, and of its disk.
import { readdir, statfs } from 'node:fs/promises';
import { constants, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { VERSION } from '../../core/version.ts';
import { countDroppedLines } from './output.ts';
import type { Registry } from './registry.ts';

type Pause = PerformanceEntry & { detail: { kind: number } };

const DELAYS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const PAUSES_SECONDS = [0.001, 0.01, 0.1, 1];
const TICK_MS = 50;
const KINDS: Record<number, string> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** Registers the metrics of this process and of the disk of its data directory. Returns a function that stops collecting them. */
export function registerProcessMetrics(registry: Registry, { dataDir }: { dataDir: string }): () => void {
  registry
    .gauges(
      'earmark_build_info',
      'Always 1; the labels name the running versions.',
      'version',
      'node',
    )({ version: VERSION, node: process.version })
    .set(1);
  registerUsage(registry);
  registerDisk(registry, dataDir);
  const collector = observeGarbageCollection(registry);
  const timer = measureEventLoop(registry);
  return () => {
    collector.disconnect();
    clearInterval(timer);
  };
}

function registerUsage(registry: Registry): void {
  const { gauge, counter } = registry;
  const user = counter('process_cpu_user_seconds_total', 'User CPU time.');
  const system = counter('process_cpu_system_seconds_total', 'System CPU time.');
  const both = counter('process_cpu_seconds_total', 'User and system CPU time.');
  const resident = gauge('process_resident_memory_bytes', 'Resident memory.');
  const heapUsed = gauge('nodejs_heap_size_used_bytes', 'Heap in use.');
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'Heap allocated.');
  const external = gauge('nodejs_external_memory_bytes', 'Memory of buffers and native objects.');
  const files = gauge('process_open_fds', 'Open file descriptors.');
  const droppedLines = counter('earmark_log_lines_dropped_total', 'Log lines dropped because nothing read standard output.');
  gauge('process_start_time_seconds', 'Start of the process, in seconds since the epoch.').set(performance.timeOrigin / 1000);
  let before = { user: 0, system: 0, droppedLines: 0 };
  registry.beforeExposition(async () => {
    const used = process.cpuUsage();
    user.add((used.user - before.user) / 1e6);
    system.add((used.system - before.system) / 1e6);
    both.add((used.user + used.system - before.user - before.system) / 1e6);
    droppedLines.add(countDroppedLines() - before.droppedLines);
    before = { ...used, droppedLines: countDroppedLines() };
    const memory = process.memoryUsage();
    resident.set(memory.rss);
    heapUsed.set(memory.heapUsed);
    heapTotal.set(memory.heapTotal);
    external.set(memory.external);
    // Linux only. The count includes the descriptor of this directory itself.
    files.set((await readdir('/proc/self/fd').catch(() => undefined))?.length);
  });
}

function registerDisk({ gauge, beforeExposition }: Registry, dataDir: string): void {
  const free = gauge('earmark_disk_free_bytes', 'Free space on the file system of DATA_DIR.');
  const size = gauge('earmark_disk_size_bytes', 'Size of the file system of DATA_DIR.');
  beforeExposition(async () => {
    const found = await statfs(dataDir).catch(() => undefined);
    free.set(found && found.bavail * found.bsize);
    size.set(found && found.blocks * found.bsize);
  });
}

function observeGarbageCollection(registry: Registry): PerformanceObserver {
  const pauses = registry.histograms('nodejs_gc_duration_seconds', 'Garbage collection pauses.', PAUSES_SECONDS, 'kind');
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as Pause[]) {
      pauses({ kind: KINDS[detail.kind] ?? 'other' }).observe(duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}

/** Measures how late a timer fires. A histogram, not precomputed quantiles, so that processes can be aggregated. */
function measureEventLoop(registry: Registry): NodeJS.Timeout {
  const delay = registry.histogram(
    'nodejs_eventloop_delay_seconds',
    `Event loop delay, measured every ${TICK_MS} ms.`,
    DELAYS_SECONDS,
  );
  const active = registry.counter('nodejs_eventloop_active_seconds_total', 'Time that the event loop was active.');
  let due = performance.now() + TICK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + TICK_MS;
  }, TICK_MS).unref();
  let before = performance.eventLoopUtilization();
  registry.beforeExposition(() => {
    const now = performance.eventLoopUtilization();
    active.add((now.active - before.active) / 1000);
    before = now;
  });
  return timer;
}
