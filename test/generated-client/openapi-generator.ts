// The clients of openapi-generator: Python, and TypeScript with fetch.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/paths.ts';
import { assertRound, PROGRAMS, PYTHON, runTool } from './round.ts';

const RUN_GENERATOR = 'from openapi_generator_cli import cli; cli()';
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const TSC_OPTIONS = ['--target', 'es2022', '--module', 'commonjs', '--lib', 'es2022,dom', '--strict', '--types', 'node'];

/** The Python templates of openapi-generator 7 lose the types of every operation in the section `webhooks` of a document. */
const WITHOUT_WEBHOOKS = 'apis,models,supportingFiles';

async function generate(name: string, document: string, output: string, ...more: string[]): Promise<void> {
  await runTool(PYTHON, ['-c', RUN_GENERATOR, 'generate', '-g', name, '-i', document, '-o', output, ...more]);
}

test('a Python client of openapi-generator', async (t) => {
  await assertRound(t, async (document, folder) => {
    const properties = ['--additional-properties=packageName=generated', '--global-property', WITHOUT_WEBHOOKS];
    await generate('python', document, folder, ...properties);
    await runTool(PYTHON, ['-m', 'compileall', '-q', 'generated'], { cwd: folder });
    return { command: PYTHON, args: [join(PROGRAMS, 'openapi_generator.py')], env: { PYTHONPATH: folder } };
  });
});

test('a TypeScript client of openapi-generator with fetch', async (t) => {
  await assertRound(t, async (document, folder) => {
    await generate('typescript-fetch', document, join(folder, 'generated'));
    const program = join(folder, 'program.ts');
    copyFileSync(join(PROGRAMS, 'typescript-fetch.ts'), program);
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    await runTool(process.execPath, [TSC, '--ignoreConfig', ...TSC_OPTIONS, ...types, '--outDir', join(folder, 'dist'), program]);
    return { command: process.execPath, args: [join(folder, 'dist/program.js')] };
  });
});
