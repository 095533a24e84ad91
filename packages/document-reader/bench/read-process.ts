// Child process that reads pictures as the reader of the service does, and measures the CPU time of each and its memory.
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { readPicture, warmUp } from '../src/read-picture.ts';
import type { Order, Taken } from './reader.ts';

sharp.cache(false);
sharp.concurrency(1);
await warmUp();
process.on('message', async ({ picture, about }: Order) => {
  const before = process.cpuUsage();
  const reading = await readPicture(picture, about);
  const { user, system } = process.cpuUsage(before);
  process.send!({ reading, cpuMs: (user + system) / 1000, residentMb: largestResidentMb() } satisfies Taken);
});
process.send!('ready');

/** Since this program began. Linux counts the memory of the parent before that in `maxRSS`. */
function largestResidentMb(): number {
  const kilobytes = process.platform === 'linux' && /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(kilobytes || process.resourceUsage().maxRSS) / 1000;
}
