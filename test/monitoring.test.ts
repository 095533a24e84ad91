// Monitoring files: the dashboard and the alerts use only metrics and labels that the service exposes, and promtool runs the tests of the alerts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { formatVerifier } from '../packages/proof/src/note.ts';
import { jobs } from '../src/apps/jobs/jobs.ts';
import { startSchedule } from '../src/apps/jobs/schedule.ts';
import { reallocation } from './support/data.ts';
import { runCliJson, scratch, serve, settingsOf, start } from './support/process.ts';
import { type Exposition, readExposition } from './support/prometheus.ts';
import { startService } from './support/service.ts';
import { waitUntil } from './support/wait.ts';
import { startReceiver } from './support/webhooks.ts';

type Rule = { alert: string; expr: string; for?: string; labels: { severity: string }; annotations: Record<string, string> };
type Panel = {
  id: number;
  title: string;
  type: string;
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
  targets?: { expr: string }[];
};

const OWN = /\b((?:earmark|nodejs|process)_[a-z_]+)(?:\{([^}]*)\})?/g;
const LABEL = /([a-z_]+) *(?:=~|!~|!=|=) *"/g;
/** Labels that Prometheus adds to every series. */
const TARGET = ['job', 'instance'];
/** The first ledger check runs a minute after the start, and a check of a document after an upload. */
const LATER = /^earmark_(ledger_check_duration|document_checks?)_/;
/** An alert about something that must run has this end, which fires if no service is scraped. */
const OR_ABSENT = / or absent\((\w+)\)$/;
/** The metric of such an alert: when it last ran. */
const RAN = /^earmark_\w+_timestamp_seconds$/;
const RUNBOOKS = 'https://earmark.example.com/docs/operations/runbooks';
/** Queries about the targets of Prometheus. */
const TARGETS = ['up{job="earmark"} == 0', 'absent(up{job="earmark"})'];

const read = (file: string) => readFileSync(new URL(`../operations/${file}`, import.meta.url), 'utf8');
const rules = (): Rule[] => parse(read('alerts.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules);

/** The metrics that a query selects, each with its label matchers. */
function asked(query: string): { name: string; labels: string[] }[] {
  return [...query.matchAll(OWN)].map(([, name, selector = '']) => ({
    name: name!,
    labels: [...selector.matchAll(LABEL)].map(([, label]) => label!),
  }));
}

const anchors = [...readFileSync(new URL('../docs/operations/runbooks.md', import.meta.url), 'utf8').matchAll(/^#+ (.*)$/gm)].map(
  ([, heading]) => heading!.toLowerCase().replaceAll(' ', '-'),
);

/** Parses a query with the grammar of Prometheus. A variable of the dashboard stands for a duration. */
function assertSyntax(query: string): void {
  const tree = parser.parse(query.replaceAll(/\$\w+(?=\])/g, '5m'));
  tree.iterate({
    enter({ type, from }) {
      assert.ok(!type.isError, `wrong at ${query.slice(from, from + 20)}: ${query}`);
    },
  });
}

function assertAnswered({ types, samples }: Exposition, query: string): void {
  const metrics = asked(query);
  for (const { name, labels } of metrics) {
    const whole = name.replace(/_(bucket|sum|count)$/, '');
    assert.ok(types.has(name) || types.get(whole) === 'histogram', `there is no ${name}: ${query}`);
    if (types.has(name)) assert.notEqual(types.get(name), 'histogram', `a query must select a part of a histogram: ${query}`);
    if (LATER.test(name)) continue;
    const series = samples.filter((sample) => sample.name === name);
    assert.ok(series.length > 0, `${name} was never seen: ${query}`);
    const known = [...TARGET, ...Object.keys(series[0]!.labels)];
    const grouped = metrics.length === 1 ? [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, by]) => by!.split(/, */)) : [];
    for (const label of [...labels, ...grouped]) assert.ok(known.includes(label), `${name} has no ${label}: ${query}`);
    assert.equal(
      /\b(rate|increase)\(/.test(query) && metrics.length === 1,
      /_(total|bucket|sum|count)$/.test(name) && metrics.length === 1,
      query,
    );
  }
}

const file = { after };
const witness = formatVerifier({ name: 'away', publicKey: Buffer.alloc(32) }, 'cosignature');
const service = await startService(file, {
  env: { WEBHOOK_ALLOW_PRIVATE: 'true', LOG_WITNESSES: `${witness}@http://127.0.0.1:9` },
});
const { call, send, sql } = service;
const receiver = await startReceiver(file);
await call('POST', '/webhook-subscriptions', { body: { url: receiver.url, secret: randomUUID() } });
const { from, to } = await service.newLabels('5.00');
for (const value of ['1.00', '99.00']) await call('POST', '/label-reallocations', { body: reallocation(from, to, value) });
await waitUntil('the webhook is delivered', () => receiver.received.length > 0);
const { config, database, sealer, clock, documents, metrics, log } = service.service;
const schedule = startSchedule({ config, database, sealer, clock, stores: documents.stores, metrics, log });
after(schedule.stop);
await sql`delete from job`;
await schedule.runDue();
// Wait for a garbage collection.
const scrape = async () => readExposition((await send('GET', '/metrics')).text);
await waitUntil('a garbage collection was recorded', async () =>
  (await scrape()).samples.some(({ name }) => name === 'nodejs_gc_duration_seconds_sum'),
);
await waitUntil('a witness was asked', async () =>
  (await scrape()).samples.some(({ name }) => name === 'earmark_log_witness_answers_total'),
);
const exposition = await scrape();

test('alerts select exposed metrics, and state severity, summary and runbook', () => {
  const all = rules();
  assert.ok(all.length >= 15);
  assert.equal(new Set(all.map(({ alert }) => alert)).size, all.length);
  for (const { alert, expr, labels, annotations, for: pendingFor } of all) {
    assert.match(alert, /^Earmark[A-Z][A-Za-z]+$/);
    if (!TARGETS.includes(expr)) {
      const query = expr.replace(OR_ABSENT, '');
      assert.ok(asked(query).length > 0, expr);
      assertAnswered(exposition, query);
      assert.match(query, / (==|>|<) [0-9.]+$/);
    }
    assertSyntax(expr);
    assert.ok(['page', 'ticket'].includes(labels.severity), alert);
    assert.match(pendingFor ?? '1m', /^[0-9]+[mh]$/);
    assert.match(annotations.summary!, /\.$/);
    assert.equal(annotations.runbook_url, `${RUNBOOKS}#${alert.toLowerCase()}`);
    assert.ok(anchors.includes(alert.toLowerCase()), alert);
  }
});

test('an alert about something that must run fires if it never ran', async (t) => {
  const must = rules().flatMap(({ expr }) => asked(expr).flatMap(({ name }) => (RAN.test(name) ? [{ name, expr }] : [])));
  assert.deepEqual([...new Set(must.map(({ name }) => name))].sort(), [
    'earmark_backup_timestamp_seconds',
    'earmark_job_last_success_timestamp_seconds',
    'earmark_ledger_check_timestamp_seconds',
    'earmark_restore_drill_timestamp_seconds',
  ]);
  for (const { name, expr } of must) assert.equal(OR_ABSENT.exec(expr)?.[1], name);
  // A service that has just started, in its own process.
  const started = await serve(t, { DATA_DIR: join(scratch(t), 'data') });
  const fresh = readExposition(await (await fetch(`http://127.0.0.1:${started.port}/metrics`)).text());
  for (const { name } of must.filter(({ name }) => !name.includes('_job_'))) assert.equal(fresh.value(name), 0, name);
  for (const { name: task } of jobs) assert.equal(fresh.value('earmark_job_last_success_timestamp_seconds', { task }), 0, task);
});

test('the metrics show the newest backup, the last success of each job in any process, and the disk', async (t) => {
  const folder = join(scratch(t), 'backup');
  const { time } = await runCliJson<{ time: string }>(t, ['backup', folder], settingsOf(service));
  await sql`update job set succeeded = '2026-01-01' where name = 'erase-documents'`;
  await schedule.runDue();
  const now = await scrape();
  assert.equal(now.value('earmark_backup_timestamp_seconds'), Date.parse(time) / 1000);
  assert.equal(now.value('earmark_restore_drill_timestamp_seconds'), 0);
  for (const [option, metric] of [
    [[], 'earmark_backup_timestamp_seconds'],
    [['--drill'], 'earmark_restore_drill_timestamp_seconds'],
  ] as const) {
    const recorded = await runCliJson<{ time: string }>(t, ['backup', 'record', ...option], settingsOf(service));
    await schedule.runDue();
    assert.equal((await scrape()).value(metric), Date.parse(recorded.time) / 1000);
  }
  const success = now.value('earmark_job_last_success_timestamp_seconds', { task: 'erase-documents' });
  assert.equal(success, Date.parse('2026-01-01') / 1000);
  const [free, size] = [now.value('earmark_disk_free_bytes')!, now.value('earmark_disk_size_bytes')!];
  const disk = await statfs(service.dataDir);
  assert.equal(size, disk.blocks * disk.bsize);
  assert.ok(free > 0 && free < size && Math.abs(free - disk.bavail * disk.bsize) < size / 10, `${free}`);
});

test('promtool accepts the alerts and their tests pass', async (t) => {
  const tested = parse(read('alerts.test.yml')).tests as { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  const expected = tested.flatMap(({ alert_rule_test }) => alert_rule_test);
  for (const { alert } of rules()) {
    const cases = expected.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length > 0);
    assert.ok(
      cases.includes(true) && cases.includes(false),
      `${alert} has a test in which it fires, and one in which it does not`,
    );
  }
  const hasPromtool = (await start(t, ['sh', '-c', 'command -v promtool'], {}).ended).code === 0;
  const { code, stdout, stderr } = await start(t, ['npm', 'run', '--silent', 'long', '--', 'alerts'], {}).ended;
  if (hasPromtool) {
    assert.equal(code, 0, stdout + stderr);
    assert.equal(stdout.match(/SUCCESS/g)?.length, 2, stdout);
  } else {
    t.diagnostic('promtool is not installed: the rules were parsed, and their tests were not run');
    assert.equal(code, 1);
    assert.match(stderr, /^promtool is not installed\./);
  }
});

test('panels select exposed metrics and do not overlap', () => {
  const { panels, templating, annotations } = JSON.parse(read('dashboard.json')) as {
    panels: Panel[];
    templating: { list: { name: string; query: string }[] };
    annotations: { list: { expr: string }[] };
  };
  const queries = panels.flatMap(({ targets }) => targets ?? []).map(({ expr }) => expr);
  const others = [...annotations.list.map(({ expr }) => expr), templating.list.find(({ name }) => name === 'job')!.query];
  assert.ok(queries.length > 40);
  for (const query of [...queries, ...others]) {
    assert.ok(asked(query).length > 0, query);
    assertAnswered(exposition, query);
  }
  for (const query of queries) assertSyntax(query);
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Set<string>();
  for (const { title, gridPos } of panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.ok(!taken.has(`${x} ${y}`), `${title} overlaps another`);
        taken.add(`${x} ${y}`);
      }
  }
});

test('the dashboard shows every metric of the service', () => {
  const onDashboard = new Set(
    [...read('dashboard.json').matchAll(OWN)].map(([, name]) => name!.replace(/_(bucket|sum|count)$/, '')),
  );
  const left = [...exposition.types.keys()].filter((name) => name.startsWith('earmark_') && !onDashboard.has(name));
  assert.deepEqual(left, ['earmark_job_duration_seconds']);
});
