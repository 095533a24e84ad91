// Monitoring files: the dashboard and the alerts use only metrics and labels that the service exposes.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { startSchedule } from '../src/jobs/schedule.ts';
import { reallocation } from './support/data.ts';
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
const LATER = /^earmark_(ledger|document)_checks?_/;

const read = (file: string) => readFileSync(new URL(`../operations/${file}`, import.meta.url), 'utf8');
const rules = (): Rule[] => parse(read('alerts.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules);

/** The metrics that a query selects, each with its label matchers. */
function asked(query: string): { name: string; labels: string[] }[] {
  return [...query.matchAll(OWN)].map(([, name, selector = '']) => ({
    name: name!,
    labels: [...selector.matchAll(LABEL)].map(([, label]) => label!),
  }));
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
const service = await startService(file, { env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
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
const exposition = await scrape();

test('alerts select exposed metrics, and state severity, summary and runbook', () => {
  const all = rules();
  assert.ok(all.length >= 15);
  assert.equal(new Set(all.map(({ alert }) => alert)).size, all.length);
  for (const { alert, expr, labels, annotations, for: pendingFor } of all) {
    assert.match(alert, /^Earmark[A-Z][A-Za-z]+$/);
    if (expr !== 'up{job="earmark"} == 0') assert.ok(asked(expr).length > 0, expr);
    assertAnswered(exposition, expr);
    assert.match(expr, / (==|>) [0-9.]+$/);
    assert.ok(['page', 'ticket'].includes(labels.severity), alert);
    assert.match(pendingFor ?? '1m', /^[0-9]+m$/);
    assert.match(annotations.summary!, /\.$/);
    assert.equal(annotations.runbook, `OPERATIONS.md#${alert.toLowerCase()}`);
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
