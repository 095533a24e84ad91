// What every token is issued and checked with (applications, signing keys, revocations): held in memory, following the database.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Sql } from '../db/sql.ts';
import type { Sealer } from '../sealing.ts';
import { type Application, listChangedApplications } from './application.ts';
import { chooseSigner, listKids, listNewSigningKeys, type Signer, type SigningKey } from './signing-key.ts';

export type Directory = {
  application(id: string): Application | undefined;
  signingKey(kid: string): SigningKey | undefined;
  /** Newest first. */
  signingKeys(): SigningKey[];
  signer(): Signer;
  isRevoked(jti: string): boolean;
  /** Keeps a token from being valid again; told to the other processes through the database. `exp` in seconds since 1970. */
  revoke(token: { jti: string; exp: number }): Promise<void>;
  /**
   * Reads what changed, for who was not found here: it may have been made by another process a moment ago. Everyone who
   * waits shares one reading and readings keep their distance, so a storm of guesses costs the database no more than one guess.
   */
  lookAgain(): Promise<void>;
  close(): Promise<void>;
};

const FOLLOW_EVERY_MS = 1000;
// How far back each reading begins before the last one: longer than a transaction takes.
const OVERLAP_MS = 60_000;
const LOOK_DISTANCE_MS = 100;
// With the database away, the answer is given from memory.
const LOOK_WAIT_MAX_MS = 1000;
const SWEEP_EVERY_MS = 3_600_000;
// Kept beyond their expiry: a clock that is set back makes the token live again, and it must stay revoked.
const SWEEP_AFTER_MS = 24 * 3_600_000;

/**
 * Reads everything, then follows changes once a second; what changed when is told by the clock of the database, the one that all
 * processes share. Throws when the database cannot be read now, and a KeyError when the
 * encryption key is not the one its signing keys were sealed under.
 */
export async function openDirectory(options: { sql: Sql; sealer: Sealer; log: FastifyBaseLogger }): Promise<Directory> {
  const { sql, log } = options;
  const applications = new Map<string, Application>();
  const keys = new Map<string, SigningKey>();
  const revoked = new Map<string, number>();
  let newestFirst: SigningKey[] = [];
  let readMs = 0;
  let sweptMs = 0;

  async function read(): Promise<void> {
    const startMs = await timeOf(sql);
    // The earlier of the two, in case that clock was set back in between.
    const since = new Date(Math.max(Math.min(readMs, startMs) - OVERLAP_MS, 0));
    for (const application of await listChangedApplications(sql, since)) applications.set(application.id, application);
    for (const key of await listNewSigningKeys(sql, options.sealer, since)) keys.set(key.kid, key);
    for (const { jti, expires } of await listRevoked(sql, since)) revoked.set(jti, expires.getTime());
    newestFirst = [...keys.values()].sort((a, b) => b.created.getTime() - a.created.getTime());
    readMs = startMs;
    if (startMs - sweptMs >= SWEEP_EVERY_MS) await sweep(startMs);
  }

  /** Forgets the revocations of tokens that have expired since, and signing keys that were removed. */
  async function sweep(nowMs: number): Promise<void> {
    sweptMs = nowMs;
    const border = new Date(nowMs - SWEEP_AFTER_MS);
    for (const [jti, expiresMs] of revoked) if (expiresMs < border.getTime()) revoked.delete(jti);
    keepOnly(await listKids(sql));
  }

  function keepOnly(kids: Set<string>): void {
    for (const kid of keys.keys()) if (!kids.has(kid)) keys.delete(kid);
    newestFirst = newestFirst.filter(({ kid }) => kids.has(kid));
  }

  await read();
  chooseSigner(newestFirst, readMs);
  const follower = follow(read, log);
  return {
    application: (id) => applications.get(id),
    signingKey: (kid) => keys.get(kid),
    signingKeys: () => newestFirst,
    signer: () => chooseSigner(newestFirst, readMs),
    isRevoked: (jti) => revoked.has(jti),
    async revoke({ jti, exp }) {
      const expires = new Date(exp * 1000);
      await sql`
        insert into revoked_token (jti, expires, revoked) values (${jti}, ${expires}, now())
        on conflict (jti) do nothing`;
      revoked.set(jti, expires.getTime());
    },
    lookAgain: follower.lookAgain,
    close: follower.close,
  };
}

async function timeOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: Date }>`select now() as now`;
  return row!.now.getTime();
}

/** Forgets revocations that no token needs any more. Returns how many. */
export async function pruneRevokedTokens(sql: Sql): Promise<number> {
  const rows = await sql`
    delete from revoked_token where expires < now() - ${SWEEP_AFTER_MS} * interval '1 ms'
    returning jti`;
  return rows.length;
}

async function listRevoked(sql: Sql, since: Date) {
  return sql<{ jti: string; expires: Date }>`
    select jti, expires from revoked_token where revoked >= ${since}`;
}

/** Reads once a second, and on demand; never twice at the same time. A failure is told once, until a reading succeeds again. */
function follow(read: () => Promise<void>, log: FastifyBaseLogger) {
  let reading: Promise<void> | undefined;
  let looking: Promise<void> | undefined;
  let startedMs = Number.NEGATIVE_INFINITY;
  let failing = false;
  let closed = false;

  async function attempt(): Promise<void> {
    startedMs = performance.now();
    try {
      await read();
      if (failing) log.info('following applications, signing keys and revocations again');
      failing = false;
    } catch (error) {
      if (!failing)
        log.warn({ err: error }, 'cannot follow applications, signing keys and revocations; serving with those known');
      failing = true;
    }
  }

  function start(): Promise<void> {
    if (closed) return Promise.resolve();
    reading ??= attempt().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function look(): Promise<void> {
    // A reading under way may have begun before what is looked for was written.
    await reading;
    await sleep(Math.max(startedMs + LOOK_DISTANCE_MS - performance.now(), 0));
    looking = undefined;
    await start();
  }

  const timer = setInterval(() => looking ?? start(), FOLLOW_EVERY_MS).unref();
  return {
    lookAgain(): Promise<void> {
      looking ??= atMost(LOOK_WAIT_MAX_MS, look());
      return looking;
    },
    async close(): Promise<void> {
      closed = true;
      clearInterval(timer);
      await reading;
    },
  };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, sleep(ms, undefined, { signal: limit.signal }).catch(() => {})]);
  limit.abort();
}
