// Results as files: one JSON file for each run in bench/results; the plot reads the newest of each kind.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';

export type Kind = 'comparison' | 'quick' | 'growth';

const FOLDER = new URL('results/', import.meta.url);

/** Saves a result, and returns the name of its file. */
export function save(kind: Kind, result: object): string {
  mkdirSync(FOLDER, { recursive: true });
  const time = new Date().toISOString();
  const name = `${time.replaceAll(':', '-')}-${kind}.json`;
  writeFileSync(new URL(name, FOLDER), `${JSON.stringify({ time, kind, machine: machine(), ...result }, null, 2)}\n`);
  return `bench/results/${name}`;
}

/** The newest result of a kind, or undefined. */
export function newest<T>(kind: Kind): T | undefined {
  mkdirSync(FOLDER, { recursive: true });
  const name = readdirSync(FOLDER)
    .filter((name) => name.endsWith(`-${kind}.json`))
    .sort()
    .at(-1);
  return name === undefined ? undefined : (JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as T);
}

/** The machine in a line. */
export function machineLine(): string {
  const { processors, model, memoryBytes } = machine();
  return `${processors} processors (${model}), ${Math.round(memoryBytes / 2 ** 30)} GB of memory, Node.js ${process.versions.node}`;
}

function machine() {
  const model = (cpus()[0]?.model ?? 'unknown').replace(/\s+/g, ' ').trim();
  return { processors: availableParallelism(), model, memoryBytes: totalmem(), node: process.version };
}
