// The workflows and the steps that they call: what runs there is a script of the repository, and what it does is shown by --dry-run.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from './support/paths.ts';
import { scratch, start } from './support/process.ts';
import type { TestScope } from './support/test-scope.ts';

type Step = { uses?: string; run?: string };
type Job = { steps: Step[]; permissions?: Record<string, string> };

const IMAGE = 'registry.example.com/earmark';
const { version, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));

function release(t: TestScope, ...words: string[]) {
  return start(t, [process.execPath, 'deploy/release.ts', ...words], {}, { cwd: ROOT }).ended;
}

test('each action is pinned by commit, and each command is a step, a script of npm, or a login', async (t) => {
  assert.equal(workflows.length, 2);
  const { stderr } = await release(t, 'none');
  const steps = stderr
    .trim()
    .replace(/^.*Steps: |\.$/g, '')
    .split(', ');
  for (const text of workflows) {
    const { jobs, permissions } = parse(text) as { jobs: Record<string, Job>; permissions: object };
    assert.deepEqual(permissions, { contents: 'read' }, 'a job says what else it needs');
    for (const { run, uses } of Object.values(jobs).flatMap((job) => job.steps)) {
      if (uses) assert.match(text, new RegExp(`uses: ${uses.replace('@', '@(?=[0-9a-f]{40} )')} # v\\d+\\.\\d+\\.\\d+$`, 'm'));
      else if (/^npm run /.test(run!)) assert.ok(scripts[run!.split(' ')[2]!], run);
      else if (/^node /.test(run!)) assert.ok(steps.includes(/^node deploy\/release\.ts (\w+)/.exec(run!)![1]!), run);
      else assert.match(run!, /^(npm ci$|docker login )/);
    }
  }
});

test('a tag must be that of the version, and of a version that the changelog calls released', async (t) => {
  assert.equal((await release(t, 'check')).code, 0);
  const other = await release(t, 'check', 'v9.9.9');
  assert.deepEqual([other.code, other.stderr], [1, `The tag is v9.9.9, and the version ${version}.\n`]);
  const isReleased = !readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').includes(`## ${version} (not released yet)`);
  assert.equal((await release(t, 'check', `v${version}`)).code, isReleased ? 0 : 1);
});

test('images are built for two architectures on bases with digests, and signed by digest; nothing is reached', async (t) => {
  const folder = scratch(t);
  const { code, stdout } = await release(t, 'image', folder, IMAGE, '--dry-run');
  assert.equal(code, 0);
  const build = stdout.split('\n').find((line) => line.includes('buildx build'))!;
  for (const part of ['linux/amd64,linux/arm64', '--provenance=mode=max', `--tag ${IMAGE}:${version}`])
    assert.ok(build.includes(part));
  const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8');
  for (const [, argument, base] of dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm))
    assert.ok(build.includes(`--build-arg ${argument}=${base}@sha256:`), argument);
  assert.match(build, /--label org\.opencontainers\.image\.revision=[0-9a-f]{40} /);
  const signed = await release(t, 'sign', folder, IMAGE, '--dry-run');
  const lines = signed.stdout.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['cosign sign', 'cosign attest', 'cosign sign-blob'],
  );
  for (const line of lines.slice(0, 2)) assert.ok(line.endsWith(`${IMAGE}@sha256:DIGEST`), line);
});

test('packages are published with provenance, and the release with its notes', async (t) => {
  const { stdout } = await release(t, 'publish', 'release', '--dry-run');
  for (const name of ['client', 'proof', 'document-reader'])
    assert.ok(stdout.includes(`npm publish ./release/earmark-${name}-${version}.tgz --access public --provenance`), name);
  assert.match(stdout, new RegExp(`^gh release create v${version} --verify-tag --notes-file release/notes.md`, 'm'));
});
