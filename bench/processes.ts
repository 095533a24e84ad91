// CPU and memory of processes: the service, every process of the database server, and the load generator, which is this process.
import { readdirSync, readFileSync } from 'node:fs';

export type Cpu = { service: number; server: number; load: number };

const TICKS_PER_SECOND = 100;
const KILOBYTE = 1024;

/** CPU seconds of a process, or undefined where the system does not report them. */
export function cpuSecondsOf(pid: number): number | undefined {
  const fields = statOf(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * CPU seconds of a process in nanosecond steps, for measurements of less than a second. Threads that have ended do not count. Undefined
 * where the system does not report them.
 */
export function fineCpuSecondsOf(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanos = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]));
    return nanos.reduce((sum, one) => sum + one, 0) / 1e9;
  } catch {
    return undefined;
  }
}

/** CPU seconds so far of a service, of a database server with all its processes, and of this process. */
export function cpuSeconds(pids: { service: number; server: number }): Cpu | undefined {
  const service = cpuSecondsOf(pids.service);
  const server = serverCpuSeconds(pids.server);
  const { user, system } = process.cpuUsage();
  return service === undefined || server === undefined ? undefined : { service, server, load: (user + system) / 1e6 };
}

/** Memory in bytes, with the proportional share of shared memory. Undefined where the system does not report it. */
export function memoryBytes(pids: number[]): number | undefined {
  try {
    const kilobytes = pids.map((pid) => Number(/^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]));
    return kilobytes.reduce((sum, one) => sum + one, 0) * KILOBYTE;
  } catch {
    return undefined;
  }
}

/** A process and its children. */
export function familyOf(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [pid, ...all.map(Number).filter((one) => Number(statOf(one)?.[1]) === pid)];
}

/** CPU seconds of a database server. Ended processes count for the parent, which has waited for them. */
export function serverCpuSeconds(postmaster: number): number | undefined {
  const parent = statOf(postmaster);
  if (!parent) return undefined;
  const ended = (Number(parent[13]) + Number(parent[14])) / TICKS_PER_SECOND;
  return familyOf(postmaster).reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), ended);
}

/** The fields of /proc/PID/stat after the program's name: 0 is the state, 1 the parent. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(') ') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** CPU between two samples for each answer; empty where the system does not report it. */
export function cpuEach(before: Cpu | undefined, after: Cpu | undefined, answers: number): { cpuMicros?: Cpu } {
  if (!before || !after) return {};
  const each = (name: keyof Cpu) => ((after[name] - before[name]) / answers) * 1e6;
  return { cpuMicros: { service: each('service'), server: each('server'), load: each('load') } };
}
