// The outbox: settles its parts, of which a cluster has one for each group of shards. A worker that is away holds up only its own parts.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../platform/db/sql.ts';
import { isDatabaseUnavailable } from '../../platform/db/unavailable.ts';

type Step = { settled: number; more: boolean; parts: number };
/** What a process knows of its outbox. `away`: the parts on workers that did not answer. */
type Outbox = { parts?: number; away: Set<number>; returning?: Promise<Step[]> | undefined };

/** How long a caller waits for parts that were away. */
const RETURN_MS = 300;
const outboxes = new WeakMap<Sql, Outbox>();

/**
 * Settles at most `step` events of each part. The events of a worker that is away get positions when it is back. Throws if the only
 * part fails.
 */
export async function settleParts(sql: Sql, step: number): Promise<Step[]> {
  const outbox = outboxOf(sql);
  const first = outbox.parts === undefined ? await settlePart(sql, step, 1) : undefined;
  outbox.parts ??= first!.parts;
  const wanted = Array.from({ length: outbox.parts }, (_, index) => index + 1).slice(first ? 1 : 0);
  const present = wanted.filter((part) => !outbox.away.has(part));
  const settling = present.map((part) => settleUnlessAway(sql, step, part));
  const [returned, ...steps] = await Promise.all([settleReturned(sql, step), ...settling]);
  return [first, ...steps, ...returned].filter((one) => one !== undefined);
}

function outboxOf(sql: Sql): Outbox {
  const outbox = outboxes.get(sql) ?? { away: new Set() };
  outboxes.set(sql, outbox);
  return outbox;
}

/** Settles the parts that are back. One caller at a time asks them, on one connection, until one is still away. */
async function settleReturned(sql: Sql, step: number): Promise<Step[]> {
  const outbox = outboxOf(sql);
  if (outbox.away.size === 0) return [];
  outbox.returning ??= settleUntilAway(sql, step, [...outbox.away]).finally(() => {
    outbox.returning = undefined;
  });
  return Promise.race([outbox.returning, sleep(RETURN_MS, [], { ref: false })]);
}

async function settleUntilAway(sql: Sql, step: number, parts: number[]): Promise<Step[]> {
  const steps: Step[] = [];
  for (const part of parts) {
    const one = await settleUnlessAway(sql, step, part);
    if (!one) break;
    steps.push(one);
  }
  return steps;
}

/** Returns undefined if the worker of a part is away. */
async function settleUnlessAway(sql: Sql, step: number, part: number): Promise<Step | undefined> {
  const { away, parts } = outboxOf(sql);
  try {
    const settled = await settlePart(sql, step, part);
    away.delete(part);
    return settled;
  } catch (error) {
    if (parts === 1 || !isDatabaseUnavailable(error)) throw error;
    // Behind the others that are away, which are asked first the next time.
    away.delete(part);
    away.add(part);
    return undefined;
  }
}

/** `parts` is the number of parts of the outbox. */
async function settlePart(sql: Sql, step: number, part: number): Promise<Step> {
  const [row] = await sql<{ settled: bigint; more: boolean; parts: bigint }>`
    select settled, more, parts from settle_events(${step}, ${part})`;
  return { settled: Number(row!.settled), more: row!.more, parts: Number(row!.parts) };
}
