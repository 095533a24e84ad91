// What processes have used: CPU and memory of the service, of every process of the database server, and of the load generator, which is this one.
import { readdirSync, readFileSync } from 'node:fs';

export type Cpu = { service: number; server: number; load: number };

const TICKS_PER_SECOND = 100;
const KILOBYTE = 1024;

/** Seconds of CPU that a process has used, or undefined where the system does not tell. */
export function cpuSecondsOf(pid: number): number | undefined {
  const fields = statOf(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Seconds of CPU used so far by a service, by a database server with all of its processes, and by this process. */
export function cpuSeconds(pids: { service: number; server: number }): Cpu | undefined {
  const service = cpuSecondsOf(pids.service);
  const server = serverCpuSeconds(pids.server);
  const { user, system } = process.cpuUsage();
  return service === undefined || server === undefined ? undefined : { service, server, load: (user + system) / 1e6 };
}

/** Bytes in memory: a process's own, and its part of what it shares. Undefined where the system does not tell. */
export function memoryBytes(pids: number[]): number | undefined {
  try {
    const kilobytes = pids.map((pid) => Number(/^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]));
    return kilobytes.reduce((sum, one) => sum + one, 0) * KILOBYTE;
  } catch {
    return undefined;
  }
}

/** A process and its children, as those of the database server are. */
export function familyOf(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [pid, ...all.map(Number).filter((one) => Number(statOf(one)?.[1]) === pid)];
}

/** What has ended counts for the parent, which has waited for it. */
function serverCpuSeconds(postmaster: number): number | undefined {
  const parent = statOf(postmaster);
  if (!parent) return undefined;
  const ended = (Number(parent[13]) + Number(parent[14])) / TICKS_PER_SECOND;
  return familyOf(postmaster).reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), ended);
}

/** The fields of /proc/PID/stat behind the program's name: 0 is the state, 1 the parent. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(') ') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** CPU between two moments, for each answer; nothing where the system does not tell it. */
export function cpuEach(before: Cpu | undefined, after: Cpu | undefined, answers: number): { cpuMicros?: Cpu } {
  if (!before || !after) return {};
  const each = (name: keyof Cpu) => ((after[name] - before[name]) / answers) * 1e6;
  return { cpuMicros: { service: each('service'), server: each('server'), load: each('load') } };
}
