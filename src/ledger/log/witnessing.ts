// Collects cosignatures of witnesses behind the logs: a log is signed and served without them, and a witness that is away delays nothing.
import type { FastifyBaseLogger } from 'fastify';
import { isCosignedBy, satisfies } from '../../../packages/proof/src/sign.ts';
import { startLoop } from '../../core/loop.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Witness } from '../../platform/config/witnesses.ts';
import type { Database } from '../../platform/db/sql.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { type Answer, askWitness, type Sizes } from './ask-witness.ts';
import { type Log, listUncosigned } from './transparency-log.ts';

type Tools = {
  database: Pick<Database, 'sql'>;
  log: FastifyBaseLogger;
  metrics: Pick<Metrics, 'witnessAnswers'>;
  config: Pick<Config, 'logWitnesses' | 'logWitnessQuorum'>;
};

const POLL_MS = 500;
/** Logs whose witnesses are asked at the same time. */
const AT_ONCE = 8;
/** A witness that does not cosign is asked again after a second, then after twice as long each time. */
const PAUSE_MS = { first: 1_000, most: 10_000 };

export function startWitnessing({ database, log, metrics, config }: Tools): { stop(): Promise<void> } {
  const witnesses = config.logWitnesses ?? [];
  if (witnesses.length === 0) return { stop: async () => {} };
  const policy = { witnesses: witnesses.map(({ verifier }) => verifier), quorum: config.logWitnessQuorum ?? witnesses.length };
  const names = witnesses.map(({ verifier }) => verifier.name);
  const stopping = new AbortController();
  const sizes: Sizes = new Map();
  const pauses = openPauses();
  const { sql } = database;

  async function ask({ url, verifier }: Witness, due: Log, note: string): Promise<string> {
    const { signal } = stopping;
    const asked = await askWitness(sql, { url, verifier }, { log: due, note, sizes, signal }).catch(
      ({ message, cause }: Error): Answer => ({ answer: 'away', reason: (cause as Error | undefined)?.message ?? message }),
    );
    if (signal.aborted || asked.answer === 'outdated') return '';
    const { name } = verifier;
    metrics.witnessAnswers({ witness: name, answer: asked.answer }).add();
    // Away from one log is away from all. What it says of one log is about that log only.
    pauses.set(url, asked.answer === 'away');
    pauses.set(`${url} ${due.origin}`, asked.answer === 'unknown' || asked.answer === 'refused');
    if (asked.answer === 'cosigned') return asked.line;
    const about = { witness: name, log: due.origin, reason: asked.reason };
    if (asked.answer === 'refused') log.error(about, 'a witness refuses a checkpoint: it has seen another history of the log');
    else log.warn(about, `a witness is ${asked.answer === 'away' ? 'away' : 'not configured for the log'}`);
    return '';
  }

  /** The witnesses that have not cosigned a checkpoint, and can be asked. */
  const missing = ({ origin, checkpoint }: Log) =>
    witnesses.filter(
      ({ url, verifier }) => !pauses.has(url) && !pauses.has(`${url} ${origin}`) && !isCosignedBy(checkpoint!, verifier),
    );

  async function witness(due: Log): Promise<void> {
    const note = due.checkpoint!;
    const lines = await Promise.all(missing(due).map((one) => ask(one, due, note)));
    const cosigned = `${note}${lines.join('')}`;
    const isEnough = satisfies(cosigned, policy);
    if (cosigned === note && !isEnough) return;
    // The log may have grown, or been reset, in the meantime.
    await sql`
      update transparency_log set checkpoint = case when checkpoint = ${note} then ${cosigned} else checkpoint end,
        witnessed = case when ${isEnough} then ${cosigned} else witnessed end
      where account_id = ${due.accountId} and number = ${due.number} and held is null`;
  }

  const loop = startLoop({
    pollMs: () => POLL_MS,
    async step() {
      const due = (await listUncosigned(sql, names)).filter((one) => missing(one).length > 0);
      for (let first = 0; first < due.length && !stopping.signal.aborted; first += AT_ONCE)
        await Promise.all(due.slice(first, first + AT_ONCE).map(witness));
      return false;
    },
    onError: openOutage(log, 'witnesses cannot be asked').note,
    signal: stopping.signal,
  });
  return {
    async stop() {
      stopping.abort();
      await loop.ended;
    },
  };
}

/** The pauses of what fails: each is twice as long as the one before. */
function openPauses() {
  const pauses = new Map<string, { ms: number; endsMs: number }>();
  return {
    has: (key: string) => (pauses.get(key)?.endsMs ?? 0) > performance.now(),
    set(key: string, isFailed: boolean): void {
      if (!isFailed) return void pauses.delete(key);
      const ms = Math.min(PAUSE_MS.most, (pauses.get(key)?.ms ?? PAUSE_MS.first / 2) * 2);
      pauses.set(key, { ms, endsMs: performance.now() + ms });
    },
  };
}
