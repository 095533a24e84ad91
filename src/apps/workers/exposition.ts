// Adds up the metrics of several processes in the Prometheus text format.

type Family = { help: string; type: string; samples: Map<string, number> };

/** Gauges that describe the machine or the database, of which each process has the same or an older value. */
const LARGEST = [
  'earmark_backup_timestamp_seconds',
  'earmark_build_info',
  'earmark_disk_size_bytes',
  'earmark_job_last_success_timestamp_seconds',
  'earmark_ledger_broken_rules',
  'earmark_ledger_check_duration_seconds',
  'earmark_ledger_check_timestamp_seconds',
  'earmark_ledger_proven_timestamp_seconds',
  'earmark_restore_drill_timestamp_seconds',
  'earmark_review_queue_age_seconds',
  'earmark_review_queue_documents',
  'earmark_transparency_logs_held',
  'earmark_webhook_backlog_events',
  'earmark_webhook_lag_seconds',
  'earmark_webhooks_due',
  'process_start_time_seconds',
];
const SMALLEST = ['earmark_database_up', 'earmark_disk_free_bytes'];

/**
 * Adds up expositions. `ended` are the last ones of processes that ended: of them only what counts from the start is added, so that
 * the sums never fall.
 */
export function sumExpositions(running: string[], ended: string[]): string {
  const sum = new Map<string, Family>();
  for (const text of running) addTo(sum, parse(text));
  for (const text of ended) {
    const families = parse(text);
    for (const [name, { type }] of families) if (type === 'gauge') families.delete(name);
    addTo(sum, families);
  }
  return write(sum);
}

/** What remains of a process that ended: its counters and histograms, added to those before. */
export function addEnded(before: string, text: string): string {
  return sumExpositions([], [before, text]);
}

function addTo(sum: Map<string, Family>, families: Map<string, Family>): void {
  for (const [name, { help, type, samples }] of families) {
    const family = sum.get(name) ?? { help, type, samples: new Map<string, number>() };
    sum.set(name, family);
    for (const [key, value] of samples) {
      const known = family.samples.get(key);
      family.samples.set(key, known === undefined ? value : merge(name, known, value));
    }
  }
}

function merge(name: string, one: number, other: number): number {
  if (LARGEST.includes(name)) return Math.max(one, other);
  return SMALLEST.includes(name) ? Math.min(one, other) : one + other;
}

function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: Family = { help: '', type: '', samples: new Map() };
  for (const line of text.split('\n')) {
    const [, about, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (about === 'HELP') {
      current = { help: rest!, type: '', samples: new Map() };
      families.set(name!, current);
    } else if (about === 'TYPE') current.type = rest!;
    else if (line !== '') {
      const space = line.lastIndexOf(' ');
      current.samples.set(line.slice(0, space), Number(line.slice(space + 1)));
    }
  }
  return families;
}

function write(families: Map<string, Family>): string {
  return [...families]
    .map(([name, { help, type, samples }]) => {
      const lines = [...samples].map(([key, value]) => `${key} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}
