// The Go client of oapi-codegen, with its default options.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertRound, PROGRAMS, runTool } from './round.ts';

/** The library that the generated code imports. */
const RUNTIME = 'github.com/oapi-codegen/runtime@latest';

test('a Go client of oapi-codegen', async (t) => {
  await assertRound(t, async (document, folder) => {
    mkdirSync(join(folder, 'earmark'));
    const output = join(folder, 'earmark/client.go');
    const generator = process.env.OAPI_CODEGEN ?? 'oapi-codegen';
    await runTool(generator, ['-generate', 'types,client', '-package', 'earmark', '-o', output, document]);
    copyFileSync(join(PROGRAMS, 'oapi-codegen.go'), join(folder, 'main.go'));
    writeFileSync(join(folder, 'go.mod'), 'module generated\n\ngo 1.24\n');
    await runTool('go', ['get', RUNTIME], { cwd: folder });
    await runTool('go', ['mod', 'tidy'], { cwd: folder });
    const program = join(folder, 'program');
    await runTool('go', ['build', '-o', program, '.'], { cwd: folder });
    return { command: program, args: [] };
  });
});
