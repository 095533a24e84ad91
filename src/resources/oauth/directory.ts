// The directory: an in-memory copy of applications, signing keys and revocations, refreshed from the database.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { refuse } from '../../core/problems.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { withTimeout } from '../../platform/db/unavailable.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { type Application, listChangedApplications } from './application.ts';
import { chooseSigner, listKids, listNewSigningKeys, type Signer, type SigningKey } from './signing-key.ts';

export type Directory = {
  application(id: string): Application | undefined;
  signingKey(kid: string): SigningKey | undefined;
  /** Newest first. */
  signingKeys(): SigningKey[];
  signer(): Signer;
  isRevoked(jti: string): boolean;
  /** Revokes a token; other processes read it from the database. `exp` in seconds since 1970. */
  revoke(token: { jti: string; exp: number }): Promise<void>;
  /**
   * Reads changes now, after a lookup failed: another process may just have created the record. Concurrent callers share one
   * read and reads are spaced, so that many invalid requests cannot load the database. Refuses with 503 if the database does not answer.
   */
  refresh(): Promise<void>;
  close(): Promise<void>;
};

const POLL_EVERY_MS = 1000;
// Each read starts this long before the previous one: longer than a transaction takes to commit.
const OVERLAP_MS = 60_000;
const REFRESH_INTERVAL_MIN_MS = 100;
// After this time the lookup is refused: nobody knows whether the record exists.
const REFRESH_WAIT_MAX_MS = 5000;
const SWEEP_EVERY_MS = 3_600_000;
// Revocations are kept past the token's expiry: if a clock is set back, the token must stay revoked.
const SWEEP_AFTER_MS = 24 * 3_600_000;

/**
 * Reads everything, then polls for changes once a second, by the clock of the database, which all processes share.
 * Throws if the database cannot be read, and a KeyError if the encryption keys cannot open any signing key.
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
    // The earlier time, in case the database clock was set back in between.
    const since = new Date(Math.max(Math.min(readMs, startMs) - OVERLAP_MS, 0));
    for (const application of await listChangedApplications(sql, since)) applications.set(application.id, application);
    for (const key of await listNewSigningKeys(sql, options.sealer, since)) keys.set(key.kid, key);
    for (const { jti, expires } of await listRevoked(sql, since)) revoked.set(jti, expires.getTime());
    newestFirst = [...keys.values()].sort((a, b) => b.created.getTime() - a.created.getTime());
    readMs = startMs;
    if (startMs - sweptMs >= SWEEP_EVERY_MS) await sweep(startMs);
  }

  /** Removes expired revocations and deleted signing keys from memory. */
  async function sweep(nowMs: number): Promise<void> {
    sweptMs = nowMs;
    const cutoffMs = nowMs - SWEEP_AFTER_MS;
    for (const [jti, expiresMs] of revoked) if (expiresMs < cutoffMs) revoked.delete(jti);
    keepOnly(await listKids(sql));
  }

  function keepOnly(kids: Set<string>): void {
    for (const kid of keys.keys()) if (!kids.has(kid)) keys.delete(kid);
    newestFirst = newestFirst.filter(({ kid }) => kids.has(kid));
  }

  await read();
  chooseSigner(newestFirst, readMs);
  const poller = startPolling(read, log);
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
    refresh: poller.refresh,
    close: poller.close,
  };
}

/** Looks up in memory, and once more after reading changes from the database. Refuses with 503 what only a reading could tell. */
export async function lookUp<T>(directory: Pick<Directory, 'refresh'>, inMemory: () => T | undefined): Promise<T | undefined> {
  const found = inMemory();
  if (found !== undefined) return found;
  await directory.refresh();
  return inMemory();
}

async function timeOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: Date }>`select now() as now`;
  return row!.now.getTime();
}

/** Deletes expired revocations. Returns how many. */
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

/** Reads once a second and on demand, never concurrently. Logs a failure once until a read succeeds again. */
function startPolling(read: () => Promise<void>, log: FastifyBaseLogger) {
  let reading: Promise<boolean> | undefined;
  let refreshing: Promise<boolean> | undefined;
  let startedMs = Number.NEGATIVE_INFINITY;
  let failing = false;
  let closed = false;

  /** Returns whether the database was read. */
  async function attempt(): Promise<boolean> {
    startedMs = performance.now();
    try {
      await read();
      if (failing) log.info('can read applications, signing keys and revocations again');
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'cannot read applications, signing keys and revocations; using those in memory');
      failing = true;
    }
    return !failing;
  }

  async function start(): Promise<boolean> {
    if (closed) return false;
    reading ??= attempt().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function readAgain(): Promise<boolean> {
    // A read in flight may have started before the record was committed.
    await reading;
    await sleep(Math.max(startedMs + REFRESH_INTERVAL_MIN_MS - performance.now(), 0));
    refreshing = undefined;
    return start();
  }

  const timer = setInterval(() => refreshing ?? start(), POLL_EVERY_MS).unref();
  return {
    async refresh(): Promise<void> {
      refreshing ??= readAgain();
      const isRead = await withTimeout(REFRESH_WAIT_MAX_MS, refreshing).catch(() => false);
      if (!isRead) throw refuse('unavailable', { message: 'Applications cannot be looked up now.' });
    },
    async close(): Promise<void> {
      closed = true;
      clearInterval(timer);
      await reading;
    },
  };
}
