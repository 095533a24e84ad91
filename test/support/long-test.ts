// Runs a long test as a command: reads its options, cleans up, prints its figures and writes them to reliability/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, parseArgs } from 'node:util';
import { ROOT } from './paths.ts';
import { anySeed } from './random.ts';
import type { TestScope } from './test-scope.ts';
import { HANGS_MS } from './wait.ts';

/** Options with whole numbers; the seed is random by default. */
type Options = Record<string, number>;

/** The arguments of a long test. */
export type Run<O extends Options> = { t: TestScope; options: O & { seed: number }; tell(line: string): void };

const FOLDER = join(ROOT, 'reliability');
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const UNCAUGHT = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * Runs `work` and writes its figures to reliability/<name>.json. Options are `--name N`, with defaults from `fallbacks`. A failure
 * prints the command that repeats it, ends what was started, and ends the process with exit code 1. So does a signal.
 */
export async function runLongTest<O extends Options>(
  name: string,
  fallbacks: O,
  work: (run: Run<O>) => Promise<Record<string, unknown>>,
): Promise<void> {
  const ends: (() => Promise<void>)[] = [];
  const t: TestScope = { after: (end) => void ends.push(end) };
  const options = readOptions({ ...fallbacks, seed: anySeed() });
  const command = `npm run long -- ${name} ${Object.entries(options)
    .map(([option, value]) => `--${option} ${value}`)
    .join(' ')}`;
  const begin = performance.now();
  try {
    process.stdout.write(`${command}\n`);
    const running = work({ t, options, tell: (line) => process.stdout.write(`${line}\n`) });
    const figures = await Promise.race([running, interruption()]);
    const seconds = Math.round((performance.now() - begin) / 1000);
    // An option may be called `seconds`, too; the command names it.
    const kept = { command, at: new Date().toISOString(), ...options, ...figures, seconds };
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(kept, undefined, 2)}\n`);
    process.stdout.write(`${JSON.stringify(kept, undefined, 2)}\n`);
  } catch (error) {
    process.stderr.write(`${inspect(error)}\n\nFAILED. Again with: ${command}\n`);
    process.exitCode = 1;
  } finally {
    for (const end of ends.reverse()) {
      try {
        await Promise.race([end(), hang()]);
      } catch (error) {
        process.stderr.write(`${inspect(error)}\n`);
        process.exitCode = 1;
      }
    }
  }
  // What a failure has interrupted may still wait for something.
  if (process.exitCode) process.exit();
}

/** Rejects after a time that only what hangs takes. */
async function hang(): Promise<never> {
  await sleep(HANGS_MS, undefined, { ref: false });
  throw new Error('A part of what was started does not end.');
}

/** Rejects when an error is thrown that nobody awaits, or on a signal. */
function interruption(): Promise<never> {
  return new Promise((_resolve, reject) => {
    for (const event of UNCAUGHT) process.on(event, reject);
    for (const signal of SIGNALS) process.once(signal, () => reject(new Error(`It was ended by ${signal}.`)));
  });
}

function readOptions<O extends Options>(fallbacks: O): O {
  const { values } = parseArgs({
    options: Object.fromEntries(Object.keys(fallbacks).map((name) => [name, { type: 'string' as const }])),
  });
  const given = Object.entries(values).map(([name, value]) => {
    if (!/^[0-9]{1,10}$/.test(String(value))) throw new Error(`--${name} takes an integer.`);
    return [name, Number(value)];
  });
  return { ...fallbacks, ...Object.fromEntries(given) };
}
