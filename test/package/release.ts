// What a release consists of, made by the step of its workflow: packages, chart, notes, an SBOM of what is installed, and their digests.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/paths.ts';
import { scratch, start } from '../support/process.ts';

type Component = { name: string; version: string; purl: string; licenses?: object[] };

test('the artifacts: each with its digest, and every installed package in the SBOM with its version', async (t) => {
  const folder = scratch(t);
  const { code, stderr } = await start(
    t,
    [process.execPath, 'deploy/release.ts', 'artifacts', relative(ROOT, folder)],
    {},
    { cwd: ROOT },
  ).ended;
  assert.equal(code, 0, stderr);
  const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
  const files = globSync('*.{tgz,json}', { cwd: folder }).sort();
  assert.equal(files.length, 6, 'four packages, the chart and the SBOM');
  assert.deepEqual(
    sums,
    files.map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}`,
    ),
  );
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean; optional?: boolean; link?: boolean }>;
  };
  const { components, bomFormat } = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bomFormat, 'CycloneDX');
  const listed = new Set((components as Component[]).map(({ name, version }) => `${name}@${version}`));
  const installed = Object.entries(packages).filter(
    ([path, { dev, optional, link }]) => path.includes('node_modules/') && !dev && !optional && !link,
  );
  for (const [path, { version }] of installed) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    assert.ok(listed.has(`${name}@${version}`), `${name}@${version}`);
  }
  assert.ok(![...listed].some((one) => one.startsWith('typescript@')), 'what only tests need is not in it');
  assert.match(readFileSync(join(folder, 'notes.md'), 'utf8'), /^## \d+\.\d+\.\d+/);
});
