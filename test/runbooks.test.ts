// docs/operations: a runbook for every alert, valid commands, and only settings, metrics, jobs and files that exist.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { sections } from '../src/apps/cli/all.ts';
import { findCommand, readCall } from '../src/apps/cli/read-call.ts';
import { anchorOf } from '../src/apps/docs/markdown.ts';
import { jobs } from '../src/apps/jobs/jobs.ts';
import { SECRETS, settings } from '../src/platform/config/config.ts';
import { ROOT } from './support/paths.ts';

/** A page is read at one go; the runbooks are looked up one by one. */
const LINES_MAX = 300;
const PARTS = ['Means', 'Look', 'Do', 'Ends'];
const METRIC = /\b(?:earmark|nodejs|process)_[a-z_]+\b/g;
/** Words of the shell and SQL that look like metrics, and the suffixes of histograms. */
const NO_METRIC = /^earmark_([ab]|service)$|_(bucket|count|sum)$/;
/** A shell word, with quotes and substitutions. */
const WORD = /(?:"[^"]*"|'[^']*'|\$\([^)]*\)|\S)+/g;

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const pages = globSync('docs/operations/*.md', { cwd: ROOT }).sort();
const text = pages.map(read).join('\n');
const commands = sections.flatMap((section) => section.commands);
const anchorsOf = (page: string) => [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!));

/** Text in backticks, and the lines of code blocks. */
function quoted(): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block!.split('\n'));
  const inline = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return [...blocks, ...inline];
}

/** The words of each call of `earmark` in a line of shell, without settings before it. */
function callsIn(line: string): string[][] {
  return line
    .split(/&&|\||;|: (?=earmark)/)
    .map((part) => part.trim().replace(/^(?:[A-Z][A-Z_]*=\S+ )+/, ''))
    .filter((part) => /^earmark /.test(part))
    .map((part) => (part.match(WORD) ?? []).slice(1));
}

test('every alert has a runbook with its meaning, diagnosis, remedy and end', () => {
  const groups: { rules: { alert: string }[] }[] = parse(read('operations/alerts.yml')).groups;
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const runbooks = [...read('docs/operations/runbooks.md').matchAll(/^## (Earmark\w+)\n\n(.*?)(?=^## |$(?![\s\S]))/gms)];
  assert.deepEqual(runbooks.map(([, name]) => name).sort(), alerts.sort());
  for (const [, name, body] of runbooks) {
    const parts = [...body!.matchAll(/^- \*\*(\w+)/gm)].map(([, part]) => part);
    assert.deepEqual(parts, PARTS, name);
  }
});

test('every command can be called as printed', () => {
  const calls = quoted().flatMap(callsIn);
  assert.ok(calls.length > 30, `${calls.length}`);
  for (const call of calls) {
    const { command, rest } = findCommand(commands, call);
    // A name alone is a mention.
    if (rest.length > 0) assert.doesNotThrow(() => readCall(command, rest), `earmark ${call.join(' ')}`);
  }
});

test('the restore drill serves the backup in a named mode', () => {
  const [, drill] = /^## Restore drill\n(.*)/ms.exec(read('docs/operations/backup.md'))!;
  for (const [, call] of drill!.matchAll(/`([^`]*earmark serve)`/g))
    assert.match(call!, /\bMODE=production\b.*\bPUBLIC_URL=https:/);
});

test('every setting exists', () => {
  const known = new Set([...settings.map(({ name }) => name), ...SECRETS.map((name) => `${name}_FILE`)]);
  const named = quoted().flatMap((code) => [...code.matchAll(/(?<![$\w])([A-Z][A-Z_]+[A-Z])(?==|$)/g)].map(([, name]) => name!));
  // Those of commands that call the interface, and words that stand for a value.
  const others = ['EARMARK_CLIENT_ID', 'EARMARK_CLIENT_SECRET', 'CLIENT_ID', 'DOCUMENT_ID', 'CHANGE_ID', 'SUBJECT', 'FILE'];
  const wrong = named.filter((name) => !known.has(name) && !others.includes(name));
  assert.deepEqual(wrong, []);
  assert.ok(new Set(named).size > 30);
});

test('lists every metric, and only metrics that exist', () => {
  const sources = globSync('src/platform/telemetry/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  const made = new Set(
    sources.flatMap((file) => [...read(file).matchAll(/'((?:earmark|nodejs|process)_[a-z_]+)'/g)].map(([, name]) => name!)),
  );
  const named = new Set([...text.matchAll(METRIC)].map(([name]) => name).filter((name) => !NO_METRIC.test(name)));
  assert.deepEqual([...named].sort(), [...made].sort());
});

test('lists every job with its interval', () => {
  const SECONDS: Record<string, number> = { minute: 60, hour: 3600 };
  const rows = [...text.matchAll(/^\| `([a-z-]+)` \| (?:(\d+) )?(minute|hour)s? \|/gm)];
  const listed = rows.map(([, name, count = '1', unit]) => [name, Number(count) * SECONDS[unit!]!]);
  assert.deepEqual(
    listed,
    jobs.map(({ name, everySeconds }) => [name, everySeconds]),
  );
});

test('every link has a target, OPERATIONS.md lists each page, and each has a readable length', () => {
  for (const page of ['OPERATIONS.md', ...pages]) {
    for (const [, target] of read(page).matchAll(/\]\(([^)]+)\)/g)) {
      const [path = '', anchor] = target!.split('#');
      const file = path === '' ? page : normalize(join(page, '..', path));
      assert.ok(existsSync(join(ROOT, file)), `${page}: ${target}`);
      if (anchor) assert.ok(anchorsOf(file).includes(anchor), `${page}: ${target}`);
    }
    for (const [, file] of read(page).matchAll(/`((?:deploy|operations|bench|examples)\/[^`]+)`/g))
      assert.ok(existsSync(join(ROOT, file!)), `${page}: ${file}`);
    assert.ok(read(page).split('\n').length <= LINES_MAX, page);
  }
  const listed = [...read('OPERATIONS.md').matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \| (.+) \|$/gm)];
  assert.deepEqual(
    listed.map(([, title, page, summary]) => [page, `# ${title}\n\n${summary}\n\n`]).sort(),
    pages.map((page) => [page, read(page).slice(0, read(page).indexOf('\n\n', read(page).indexOf('\n\n') + 2) + 2)]),
  );
});
