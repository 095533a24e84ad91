// A registry of counters, gauges and histograms, exposed in the Prometheus text format (version 0.0.4).

export type Counter = { add(count?: number): void; total(): number };
/** An undefined value is left out of the exposition. */
export type Gauge = { set(value: number | undefined): void };
export type Histogram = { observe(value: number): void };

/** A metric with labels. Each combination of label values is a separate series, created at its first use. */
type Family<Label extends string, Metric> = (labels: Record<Label, string>) => Metric;
/** Counters that can be listed, with the values of their labels. */
type Counters<Label extends string> = Family<Label, Counter> & { list(): { labels: Record<Label, string>; counter: Counter }[] };
/** Gauges whose label values change: `clear` removes all series. */
type Gauges<Label extends string> = Family<Label, Gauge> & { clear(): void };

export type Registry = {
  counter(name: string, help: string): Counter;
  counters<Label extends string>(name: string, help: string, ...labels: Label[]): Counters<Label>;
  gauge(name: string, help: string): Gauge;
  gauges<Label extends string>(name: string, help: string, ...labels: Label[]): Gauges<Label>;
  /** `bounds`: upper bounds of the buckets, ascending; `+Inf` is added. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  histograms<Label extends string>(
    name: string,
    help: string,
    bounds: readonly number[],
    ...labels: Label[]
  ): Family<Label, Histogram>;
  /** Runs before each exposition, to set values that are read on demand. */
  beforeExposition(read: () => void | Promise<void>): void;
  expose(): Promise<string>;
};

/** A series that can write its samples. */
type Series = { write(name: string, labels: string): string };

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function openRegistry(): Registry {
  const names = new Set<string>();
  const families: (() => string)[] = [];
  const readers: (() => void | Promise<void>)[] = [];

  function family<Label extends string, Metric extends Series>(
    about: { name: string; help: string; type: string },
    labels: Label[],
    make: () => Metric,
  ) {
    const { name, help, type } = about;
    if (names.has(name)) throw new Error(`the metric ${name} is registered twice`);
    names.add(name);
    const children = new Map<string, { labels: Record<Label, string>; metric: Metric }>();
    const of = (values: Record<Label, string>): Metric => {
      const key = labels.map((label) => `${label}="${escaped(values[label])}"`).join();
      let child = children.get(key);
      if (!child) {
        child = { labels: { ...values }, metric: make() };
        children.set(key, child);
      }
      return child.metric;
    };
    families.push(() => {
      const samples = [...children].map(([key, { metric }]) => metric.write(name, key));
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join('')}`;
    });
    const list = () => [...children.values()].map(({ labels, metric }) => ({ labels, counter: metric }));
    return Object.assign(of, { clear: () => children.clear(), list });
  }

  return {
    counter: (name, help) => family({ name, help, type: 'counter' }, [], makeCounter)({}),
    counters: (name, help, ...labels) => family({ name, help, type: 'counter' }, labels, makeCounter),
    gauge: (name, help) => family({ name, help, type: 'gauge' }, [], makeGauge)({}),
    gauges: (name, help, ...labels) => family({ name, help, type: 'gauge' }, labels, makeGauge),
    histogram: (name, help, bounds) => family({ name, help, type: 'histogram' }, [], () => makeHistogram(bounds))({}),
    histograms: (name, help, bounds, ...labels) => family({ name, help, type: 'histogram' }, labels, () => makeHistogram(bounds)),
    beforeExposition: (read) => void readers.push(read),
    async expose() {
      await Promise.all(readers.map((read) => read()));
      return families.map((write) => write()).join('');
    },
  };
}

function makeCounter(): Counter & Series {
  let total = 0;
  return {
    add(count = 1) {
      total += count;
    },
    total: () => total,
    write: (name, labels) => sample(name, labels, total),
  };
}

function makeGauge(): Gauge & Series {
  let now: number | undefined;
  return {
    set(value) {
      now = value;
    },
    write: (name, labels) => (now === undefined ? '' : sample(name, labels, now)),
  };
}

function makeHistogram(bounds: readonly number[]): Histogram & Series {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe(value) {
      let index = 0;
      while (index < bounds.length && value > bounds[index]!) index++;
      counts[index]! += 1;
      sum += value;
    },
    write(name, labels) {
      let count = 0;
      const buckets = counts.map((inBucket, index) => {
        count += inBucket;
        const le = `le="${index < bounds.length ? bounds[index] : '+Inf'}"`;
        return sample(`${name}_bucket`, labels ? `${labels},${le}` : le, count);
      });
      return `${buckets.join('')}${sample(`${name}_sum`, labels, sum)}${sample(`${name}_count`, labels, count)}`;
    },
  };
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels && `{${labels}}`} ${value}\n`;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}
