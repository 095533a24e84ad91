// Asks a server of a cluster at intervals whether it answers and takes writes, so that its groups can be refused before requests wait
// for it.
import { LIMITS, openDatabase } from '../sql.ts';

export type Probe = {
  /** Whether the server failed to answer the last question in time. */
  isAway(): boolean;
  /** Whether the server is away, or takes no writes: a standby, or a server that an operator made read-only. */
  isUnwritable(): boolean;
  close(): Promise<void>;
};

const EVERY_MS = 500;

export function startProbe(url: string): Probe {
  const database = openDatabase(url, { max: 1, onError: () => {}, limits: LIMITS.probe });
  let askedMs: number | undefined;
  let failed = false;
  let isReadOnly = false;

  async function ask(): Promise<void> {
    askedMs = performance.now();
    // The first failure may be that of a broken connection.
    failed = (await fails()) && (await fails());
    askedMs = undefined;
  }

  function fails(): Promise<boolean> {
    return database.sql<{ transactionReadOnly: string }>`show transaction_read_only`.then(
      ([row]) => {
        isReadOnly = row!.transactionReadOnly === 'on';
        return false;
      },
      () => true,
    );
  }

  const timer = setInterval(() => {
    if (askedMs === undefined) void ask();
  }, EVERY_MS).unref();
  const isAway = () => failed || (askedMs !== undefined && performance.now() - askedMs > LIMITS.probe.statementMs);
  return {
    isAway,
    isUnwritable: () => isReadOnly || isAway(),
    async close() {
      clearInterval(timer);
      await database.close();
    },
  };
}
