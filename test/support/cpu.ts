// CPU time of this process and of the children that it has waited for.
import { readFileSync } from 'node:fs';

/** The unit of times in /proc, which is the same on all architectures of Linux. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU of this process, and on Linux of its ended children and theirs. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function childSeconds(): number {
  if (process.platform !== 'linux') return 0;
  // The name of the program, in parentheses, may contain spaces. Fields 16 and 17 are the times of children.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').pop()!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
