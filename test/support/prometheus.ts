// Parses the answer of /metrics and checks it against the Prometheus text format.
import assert from 'node:assert/strict';

export type Sample = { name: string; labels: Record<string, string>; value: number };
export type Exposition = {
  samples: Sample[];
  /** The type of each metric, with or without samples. */
  types: Map<string, string>;
  /** The value of the only sample with this name and at least these labels; undefined if none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
};

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;
const HISTOGRAM = /_(bucket|sum|count)$/;

export function readExposition(text: string): Exposition {
  assert.ok(text.endsWith('\n'), 'the last line ends');
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const [, keyword, metric = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') helped.add(metric);
    else if (keyword === 'TYPE') {
      assert.ok(helped.has(metric) && !types.has(metric), `${metric} has HELP and TYPE once`);
      types.set(metric, rest);
    } else samples.push(readSample(line, types, seen));
  }
  for (const [name, type] of types) if (type === 'histogram') assertCumulative(name, samples);
  const value = (name: string, labels: Record<string, string> = {}) => {
    const wanted = Object.entries(labels);
    const found = samples.filter((one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value));
    assert.ok(found.length < 2, `more than one ${name}${JSON.stringify(labels)}`);
    return found[0]?.value;
  };
  return { samples, types, value };
}

function readSample(line: string, types: Map<string, string>, seen: Set<string>): Sample {
  const [, name = '', text = '', number = ''] = LINE.exec(line) ?? assert.fail(`no sample: ${line}`);
  const labels = Object.fromEntries([...text.matchAll(LABEL)].map(([, label, value]) => [label!, value!]));
  assert.ok(!seen.has(`${name}{${text}}`), `twice: ${line}`);
  seen.add(`${name}{${text}}`);
  const type = types.get(name) ?? (types.get(name.replace(HISTOGRAM, '')) === 'histogram' ? 'histogram' : undefined);
  assert.ok(type, `no TYPE before ${line}`);
  assert.equal(name.endsWith('_total'), type === 'counter', `only counters end with _total: ${line}`);
  const value = Number(number);
  assert.ok(Number.isFinite(value), line);
  return { name, labels, value };
}

/** Checks that the buckets of a histogram are cumulative and that the last one has the total count. */
function assertCumulative(name: string, samples: Sample[]): void {
  const keyOf = ({ labels: { le, ...labels } }: Sample) => JSON.stringify(labels);
  const counts = new Map(samples.filter((one) => one.name === `${name}_count`).map((one) => [keyOf(one), one.value]));
  const buckets = Map.groupBy(
    samples.filter((one) => one.name === `${name}_bucket`),
    keyOf,
  );
  assert.equal(buckets.size, counts.size, name);
  for (const [key, own] of buckets) {
    const bounds = own.map(({ labels: { le } }) => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
    );
    assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY);
    const values = own.map(({ value }) => value);
    assert.deepEqual(
      values,
      values.toSorted((a, b) => a - b),
    );
    assert.equal(values.at(-1), counts.get(key), `${name} ${key}`);
  }
}
