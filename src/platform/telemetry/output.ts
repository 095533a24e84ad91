// Writes the log to standard output without blocking: lines that the reader does not accept are buffered in memory, up to a limit.
import { writeSync } from 'node:fs';

export type Output = { write(line: string): void };

const STANDARD_OUTPUT = 1;
/** Lines beyond this are dropped. */
const WAITING_MAX_BYTES = 16 * 2 ** 20;
/** Size of a write. Many small buffers would use more memory than their content. */
const CHUNK_LENGTH = 64 * 1024;
const RETRY_MS = 10;
/** At process exit: how long to wait for the reader, and the time between attempts. */
const EXIT_WITHIN_MS = 2_000;
const EXIT_RETRY_MS = 1;

let dropped = 0;

/** Returns the number of lines that this process has dropped since it started. */
export function countDroppedLines(): number {
  return dropped;
}

/**
 * Writes the lines of one turn of the event loop together: one write per line costs three times as much as formatting it.
 * A killed process loses the lines of that turn and the buffered ones; otherwise they are written at exit if the reader reads.
 * `onRecovered` receives the number of dropped lines once the reader has accepted the buffer.
 *
 * Asynchronous writes of Node.js are not suitable: one in flight at process exit is lost, and one that blocks a thread also
 * blocks the exit.
 */
export function openOutput(onRecovered: (lines: number) => void): Output {
  const buffer = openBuffer();
  let missed = 0;
  let scheduled = false;
  let stalled = false;

  function write(line: string): void {
    if (buffer.isClosed()) return;
    if (buffer.length() + line.length > WAITING_MAX_BYTES) {
      missed += 1;
      dropped += 1;
      return;
    }
    if (buffer.add(line) && !stalled) stalled = !buffer.write();
    if (scheduled) return;
    scheduled = true;
    setImmediate(run);
  }

  function run(): void {
    scheduled = false;
    stalled = !flush();
    if (!stalled || scheduled) return;
    scheduled = true;
    setTimeout(run, RETRY_MS).unref();
  }

  /** Writes what the reader accepts. Returns false if lines remain buffered. */
  function flush(): boolean {
    if (!buffer.write()) return false;
    if (missed === 0) return true;
    const lost = missed;
    missed = 0;
    onRecovered(lost);
    return buffer.write();
  }

  process.once('exit', () => {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const deadline = performance.now() + EXIT_WITHIN_MS;
    while (!flush() && performance.now() < deadline) Atomics.wait(cell, 0, 0, EXIT_RETRY_MS);
  });
  return { write };
}

/** Opens the buffer of standard output: lines in chunks, until they are written. */
function openBuffer() {
  // Opening this stream makes Node.js set a pipe or socket to non-blocking: a write is then partial, or fails with EAGAIN.
  void process.stdout;
  const chunks: Buffer[] = [];
  let chunksBytes = 0;
  let lines = '';
  let closed = false;

  function closeChunk(): void {
    if (lines === '') return;
    const chunk = Buffer.from(lines);
    lines = '';
    chunks.push(chunk);
    chunksBytes += chunk.length;
  }

  return {
    length: () => chunksBytes + lines.length,
    /** Whether nothing reads any more: then lines are discarded. */
    isClosed: () => closed,
    /** Adds a line. Returns true when it filled a chunk. */
    add(line: string): boolean {
      lines += line;
      if (lines.length < CHUNK_LENGTH) return false;
      closeChunk();
      return true;
    },
    /** Writes what the reader accepts. Returns false if lines remain buffered. */
    write(): boolean {
      closeChunk();
      try {
        for (let chunk = chunks[0]; chunk; chunk = chunks[0]) {
          const written = writeSync(STANDARD_OUTPUT, chunk);
          chunksBytes -= written;
          if (written < chunk.length) chunks[0] = chunk.subarray(written);
          else chunks.shift();
        }
        return true;
      } catch (error) {
        // Other errors are temporary: a slow reader (EAGAIN), or a full disk.
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') return false;
        closed = true;
        chunks.length = 0;
        return true;
      }
    },
  };
}
