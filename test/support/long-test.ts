// Runs a long test as a command: reads its options, cleans up, prints its figures and writes them to reliability/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { ROOT } from './paths.ts';
import { anySeed } from './random.ts';
import type { TestScope } from './test-scope.ts';

/** Options with whole numbers; the seed is random by default. */
type Options = Record<string, number>;

/** The arguments of a long test. */
export type Run<O extends Options> = { t: TestScope; options: O & { seed: number }; tell(line: string): void };

const FOLDER = join(ROOT, 'reliability');

/**
 * Runs `work` and writes its figures to reliability/<name>.json. Options are `--name N`, with defaults from `fallbacks`. A failure
 * prints the command that repeats it, and the process ends with exit code 1.
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
    const figures = await work({ t, options, tell: (line) => process.stdout.write(`${line}\n`) });
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
        await end();
      } catch (error) {
        process.stderr.write(`${inspect(error)}\n`);
        process.exitCode = 1;
      }
    }
  }
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
