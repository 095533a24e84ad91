// Runs the samples of the documentation, as printed: curl in bash, TypeScript in this process, Python in one process for all.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { ROOT } from './paths.ts';
import type { TestScope } from './test-scope.ts';

/** Runs code, and returns why it failed; undefined when it ended well. `folder` is its working directory. */
export type RunSample = (code: string, env: Record<string, string>) => Promise<string | undefined>;

const { PATH = '', HOME = '/' } = process.env;
const BASE_ENV = { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, HOME };

/** Reads a JSON line with code and environment, runs it, and answers with a line: an error, or an empty one. */
const PYTHON = `
import contextlib, io, json, os, sys, traceback
for line in sys.stdin:
    given = json.loads(line)
    os.environ.update(given["env"])
    error = ""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(given["code"], "sample", "exec"), {})
    except Exception:
        error = traceback.format_exc()
    print(json.dumps(error), flush=True)
`;

export function openCurl(folder: string): RunSample {
  return (code, env) =>
    new Promise((resolve, reject) => {
      const child = spawn('bash', ['-c', code], {
        cwd: folder,
        env: { ...BASE_ENV, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child.once('error', reject);
      child.once('close', (status) => resolve(status === 0 ? undefined : `curl ended with ${status}`));
    });
}

export function openPython(t: TestScope, folder: string): RunSample {
  const child = spawn('python3', ['-u', '-c', PYTHON], { cwd: folder, env: BASE_ENV, stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(async () => void child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (code, env) => {
    child.stdin.write(`${JSON.stringify({ code, env })}\n`);
    const { value, done } = await lines.next();
    assert.ok(!done, 'python3 ended');
    return (JSON.parse(value) as string) || undefined;
  };
}

/** Changes the working directory and the environment of this process, so a test file opens it once. */
export function openTypescript(folder: string): RunSample {
  process.chdir(folder);
  const hooks: Parameters<typeof registerHooks>[0] = {
    resolve(specifier, context, next) {
      const file = /^earmark\/(client(?:\/files)?)$/.exec(specifier)?.[1];
      if (file === undefined) return next(specifier, context);
      const path = file === 'client' ? 'src/client/client.ts' : 'src/client/files.ts';
      return next(pathToFileURL(join(ROOT, path)).href, context);
    },
  };
  registerHooks(hooks);
  let count = 0;
  return async (code, env) => {
    Object.assign(process.env, env);
    const url = `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}#${count++}`;
    try {
      await import(url);
      return undefined;
    } catch (error) {
      return (error as Error).stack;
    }
  };
}
