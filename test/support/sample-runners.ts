// Runs samples of the documentation as printed, each language in one process that knows only what README.md tells a user to set.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Sample } from '../../src/apps/docs/samples/sample.ts';
import { installLinks, ROOT } from './paths.ts';
import { scratch } from './process.ts';
import type { TestScope } from './test-scope.ts';

/** Runs a sample, and returns why it failed; empty when it ended well. */
export type RunSample = (code: string) => Promise<string>;

const { PATH = '', HOME = '/' } = process.env;

/** The line of README.md that a user runs first, without npx, which takes longer than the command. */
const README_LINE = 'eval "$(node bin/earmark.js sandbox env)"';

/** Each reads names of files, runs them, and answers with a line of JSON: an error, or an empty text. */
const PROGRAMS: Record<Sample['language'], { ending: string; command: string }> = {
  curl: {
    ending: 'sh',
    command: `while IFS= read -r file; do
      if bash "$file" >/dev/null 2>&1 </dev/null; then echo '""'; else echo "\\"ended with $?\\""; fi
    done`,
  },
  typescript: {
    ending: 'mts',
    command: 'exec node --conditions=earmark-source ./run.mjs',
  },
  python: {
    ending: 'py',
    command: 'exec python3 -u ./run.py',
  },
};

const RUN_PYTHON = `
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    error = ""
    try:
        with contextlib.redirect_stdout(io.StringIO()), open(line.strip()) as file:
            exec(compile(file.read(), "sample", "exec"), {})
    except Exception:
        error = traceback.format_exc()
    print(json.dumps(error), flush=True)
`;

const RUN_TYPESCRIPT = `
import { createInterface } from 'node:readline';
const write = process.stdout.write.bind(process.stdout);
console.log = () => {};
for await (const file of createInterface({ input: process.stdin })) {
  const error = await import('./' + file).then(() => '', (error) => error.stack);
  write(JSON.stringify(error) + '\\n');
}
`;

/** Starts the shell of a language, in a separate folder, for the sandbox of a data directory. */
export function openRunner(t: TestScope, language: Sample['language'], dataDir: string): RunSample {
  const folder = scratch(t);
  installLinks(folder);
  writeFileSync(join(folder, 'run.py'), RUN_PYTHON);
  writeFileSync(join(folder, 'run.mjs'), RUN_TYPESCRIPT);
  const { ending, command } = PROGRAMS[language];
  const child = spawn('bash', ['-c', `set -e\n${README_LINE}\ncd ${folder}\n${command}`], {
    cwd: ROOT,
    env: { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, HOME, DATA_DIR: dataDir },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(async () => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let count = 0;
  return async (code) => {
    const file = `${count++}.${ending}`;
    writeFileSync(join(folder, file), code);
    child.stdin.write(`${file}\n`);
    const { value, done } = await lines.next();
    assert.ok(!done, `${language} ended`);
    return JSON.parse(value) as string;
  };
}
