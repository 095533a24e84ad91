// assets/proof.js, with which the console verifies receipts in the browser: compiled from @earmark/proof. `PROOF_WRITE=1` writes it.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript5';
import { ROOT } from './support/paths.ts';

const SOURCE = join(ROOT, 'packages/proof/src');
const SCRIPT = join(ROOT, 'assets/proof.js');
const HEADER =
  '// Verifies receipts: compiled from packages/proof by PROOF_WRITE=1 node --test test/proof-script.test.ts. Do not edit.';
const IMPORT = /^import (?<types>type )?[^;]*? from '\.\/(?<name>[\w-]+)\.ts';$/gm;
const DECLARED = /^(?:async )?(?:function|const|let|class) (\w+)/gm;
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ES2022,
  removeComments: true,
  verbatimModuleSyntax: true,
};

/** The modules that a module needs at run time, those without imports first. */
function modulesOf(name: string, found: string[] = []): string[] {
  const imports = readFileSync(join(SOURCE, `${name}.ts`), 'utf8').matchAll(IMPORT);
  for (const { groups } of imports) if (!groups!.types && !found.includes(groups!.name!)) modulesOf(groups!.name!, found);
  if (!found.includes(name)) found.push(name);
  return found;
}

/** One module of all, because each file would be a request. Their names must differ. */
function compile(): string {
  const bodies = modulesOf('receipt').map((name) =>
    ts
      .transpileModule(readFileSync(join(SOURCE, `${name}.ts`), 'utf8'), { compilerOptions: OPTIONS })
      .outputText.replace(/^import [^;]*;\n/gm, '')
      .replace(/^export /gm, ''),
  );
  const names = bodies.flatMap((body) => [...body.matchAll(DECLARED)].map(([, name]) => name!));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  assert.deepEqual(twice, [], 'names that two modules of @earmark/proof declare');
  return `${HEADER}\n${bodies.join('')}export { verifyReceipt };\n`;
}

test('the script of receipts is that of the package', () => {
  if (process.env.PROOF_WRITE) writeFileSync(SCRIPT, compile());
  assert.equal(readFileSync(SCRIPT, 'utf8'), compile(), 'run it with PROOF_WRITE=1');
});
