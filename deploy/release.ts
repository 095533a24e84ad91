// The steps of a release, each one call: `node deploy/release.ts STEP … [--dry-run]`. --dry-run prints the commands that reach a registry.
// check [TAG] · artifacts FOLDER · image FOLDER IMAGE · sign FOLDER IMAGE · publish FOLDER
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Named = { name: string; version: string; private?: boolean };
/** An entry of package-lock.json; `name` is of workspaces, and of packages under another name. */
type Locked = { name?: string; version: string; dev?: boolean };
type Component = { 'bom-ref': string; properties: { name: string }[] };
/** What is read of an SBOM in CycloneDX. */
type Bom = {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

const ROOT = join(import.meta.dirname, '..');
const PLATFORMS = 'linux/amd64,linux/arm64';
/** The images that deploy/Dockerfile builds from, by its arguments. */
const BASES = { NODE: 'node:24-trixie-slim', BASE: 'debian:trixie-slim' };
const SUMS = 'SHA256SUMS';
/** The mark of npm for packages that only development needs. It is also on those of which development needs a second copy. */
const DEVELOPMENT = 'cdx:npm:package:development';
const words = process.argv.slice(2).filter((word) => word !== '--dry-run');
const isDry = words.length < process.argv.length - 2;

const manifest = readJson<Named & { description: string; license: string }>('package.json');
/** What npm gets. The service itself is for images and tarballs. */
const packages = globSync('packages/*/package.json', { cwd: ROOT })
  .map((file) => readJson<Named>(file))
  .filter((one) => !one.private);

const steps: Record<string, (...words: string[]) => void> = { check, artifacts, image, sign, publish };
const [step = '', ...given] = words;
const run = steps[step];
if (run) run(...given);
else fail(`There is no step ${step}. Steps: ${Object.keys(steps).join(', ')}.`);

/** All versions are one, which the tag names and the changelog describes. */
function check(tag?: string): void {
  const { version } = manifest;
  const chart = readFileSync(join(ROOT, 'deploy/chart/Chart.yaml'), 'utf8');
  for (const name of ['version', 'appVersion'])
    if (!new RegExp(`^${name}: ${version}$`, 'm').test(chart)) fail(`${name} of deploy/chart is not ${version}.`);
  for (const { name, version: own } of packages) if (own !== version) fail(`${name} is ${own}, and the service ${version}.`);
  const [title = ''] = notes().split('\n');
  if (tag === undefined) return;
  if (tag !== `v${version}`) fail(`The tag is ${tag}, and the version ${version}.`);
  if (/not released/.test(title)) fail(`CHANGELOG.md says of ${version} that it is not released.`);
}

/** Tarballs, an SBOM, the chart, notes, and the digests of all. */
function artifacts(folder: string): void {
  mkdirSync(join(ROOT, folder), { recursive: true });
  npm('pack', '--pack-destination', folder, '--workspaces', '--include-workspace-root');
  writeFileSync(join(ROOT, folder, 'sbom.cdx.json'), sbom());
  writeFileSync(join(ROOT, folder, 'notes.md'), notes());
  command(
    'tar',
    '-czf',
    join(folder, `earmark-chart-${manifest.version}.tgz`),
    '-C',
    'deploy',
    '--transform',
    's/^chart/earmark/',
    'chart',
  );
  const files = globSync('*', { cwd: join(ROOT, folder) }).filter((name) => name !== SUMS && name !== 'notes.md');
  const sums = files.sort().map((name) => `${sha256(readFileSync(join(ROOT, folder, name)))}  ${name}\n`);
  writeFileSync(join(ROOT, folder, SUMS), sums.join(''));
}

/**
 * An SBOM of what is installed, without what only development needs. `npm sbom --omit dev` would also leave out every package that
 * the service needs and development too.
 */
function sbom(): string {
  const bom = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx')) as Bom;
  const needed = neededPackages();
  bom.components = bom.components
    .filter((component) => needed.has(component['bom-ref']))
    .map((component) => ({ ...component, properties: component.properties.filter(({ name }) => name !== DEVELOPMENT) }));
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => ref === bom.metadata.component['bom-ref'] || needed.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => needed.has(one)) }));
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}

/** Name and version of each package that not only development needs. */
function neededPackages(): Set<string> {
  const { packages } = readJson<{ packages: Record<string, Locked> }>('package-lock.json');
  const needed = Object.entries(packages).filter(([, { dev }]) => !dev);
  return new Set(needed.map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`));
}

/** Builds and pushes the image for both architectures, on bases that are named by digest. Writes the digest of the result. */
function image(folder: string, name: string): void {
  const digests = Object.entries(BASES).map(([argument, base]) => {
    const format = ['--format', '{{.Manifest.Digest}}'];
    const digest = reach('docker', 'buildx', 'imagetools', 'inspect', base, ...format).trim() || 'sha256:DIGEST';
    return [argument, `${base}@${digest}`] as const;
  });
  const labels = {
    title: 'earmark',
    description: manifest.description,
    version: manifest.version,
    licenses: manifest.license,
    revision: command('git', 'rev-parse', 'HEAD').trim(),
    'base.name': digests[1]![1],
  };
  reach(
    ...[
      'docker',
      'buildx',
      'build',
      '--file',
      'deploy/Dockerfile',
      '--platform',
      PLATFORMS,
      '--push',
      '--provenance=mode=max',
      '--sbom=true',
    ],
    ...digests.flatMap(([argument, base]) => ['--build-arg', `${argument}=${base}`]),
    ...Object.entries(labels).flatMap(([label, value]) => ['--label', `org.opencontainers.image.${label}=${value}`]),
    ...['--tag', `${name}:${manifest.version}`, '--metadata-file', join(folder, 'image.json'), '.'],
  );
}

/** Signs the image by its digest, with its SBOM, and the digests of the files. Identity and log are those of Sigstore. */
function sign(folder: string, name: string): void {
  const digest = isDry ? 'sha256:DIGEST' : readJson<Record<string, string>>(join(folder, 'image.json'))['containerimage.digest'];
  const signed = `${name}@${digest}`;
  reach('cosign', 'sign', '--yes', signed);
  reach('cosign', 'attest', '--yes', '--type', 'cyclonedx', '--predicate', join(folder, 'sbom.cdx.json'), signed);
  reach('cosign', 'sign-blob', '--yes', '--bundle', join(folder, `${SUMS}.bundle`), join(folder, SUMS));
  if (!isDry) writeFileSync(join(ROOT, folder, 'image.txt'), `${signed}\n`);
}

/** Publishes the packages with their provenance, and the release with everything. */
function publish(folder: string): void {
  for (const { name, version } of packages) {
    const tarball = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    reach('npm', 'publish', `./${join(folder, tarball)}`, '--access', 'public', '--provenance');
  }
  const files = globSync(`${folder}/*`, { cwd: ROOT }).filter((file) => !/notes\.md$|image\.json$/.test(file));
  reach(
    'gh',
    'release',
    'create',
    `v${manifest.version}`,
    '--verify-tag',
    '--notes-file',
    join(folder, 'notes.md'),
    ...files.sort(),
  );
}

/** The section of this version in the changelog. */
function notes(): string {
  const sections = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  return (
    sections.find((text) => text.startsWith(`## ${manifest.version}`)) ?? fail(`CHANGELOG.md has no section ${manifest.version}.`)
  );
}

function npm(...args: string[]): string {
  return command('npm', ...args);
}

function command(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });
}

/** A command that changes or asks a registry. */
function reach(...line: string[]): string {
  process.stdout.write(`${line.join(' ')}\n`);
  return isDry ? '' : command(line[0]!, ...line.slice(1));
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
