// SQL as tagged templates over `pg`: values are always parameters, and each template is prepared once on each connection.
import { createHash } from 'node:crypto';
import pg from 'pg';

/** Runs one statement and returns its rows: ``sql<Row>`select … where id = ${id}` ``. */
export type Sql = <Row = Record<string, unknown>>(text: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

export type Database = {
  sql: Sql;
  /** Runs work in one transaction: commits what returns, rolls back what throws. After a deadlock the work runs again. */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Connections there are, may be, are free, and how many callers wait for one. */
  connections(): { total: number; max: number; idle: number; waiting: number };
  close(): Promise<void>;
};

/** How long a pool waits for a connection, and for a statement; 0: as long as it needs. */
export type Limits = { connectMs: number; statementMs: number };

/** Together with the answer's second of grace, a statement of a request has an answer or is given up within ten seconds. */
export const LIMITS = {
  request: { connectMs: 3_000, statementMs: 5_500 },
  delivery: { connectMs: 10_000, statementMs: 30_000 },
  housekeeping: { connectMs: 10_000, statementMs: 600_000 },
  none: { connectMs: 10_000, statementMs: 0 },
} satisfies Record<string, Limits>;
/** The server ends a statement at its limit, so that nothing of it is left. A server that does not even do that is given up. */
const ANSWER_GRACE_MS = 1_000;
/**
 * A process that is paused in the middle of a transaction must not hold up the others by its locks: the server ends it, sooner than
 * the statements that wait for them.
 */
const STANDSTILL_MAX_MS = 4_500;
/** What `pg` says of a statement without an answer. */
const UNANSWERED = 'Query read timeout';
const DEADLOCK_DETECTED = '40P01';
const DEADLOCK_RETRIES = 3;

type Options = {
  max: number;
  onError: (error: Error) => void;
  limits?: Limits;
  /** Called when a transaction was committed, or with the error it failed with. */
  onCommit?: (error?: unknown) => void;
};

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** A pool of connections. int8 arrives as bigint, timestamptz as Date, jsonb parsed, uuid and numeric as text. */
export function openDatabase(url: string, options: Options): Database {
  const { max, onError, limits: { connectMs, statementMs } = LIMITS.none, onCommit = () => {} } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    connectionTimeoutMillis: connectMs,
    ...(statementMs > 0 && { query_timeout: statementMs + ANSWER_GRACE_MS }),
    application_name: 'earmark',
    // Not as parameters of the connection, which some poolers refuse.
    async onConnect(client) {
      await client.query(
        `set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${STANDSTILL_MAX_MS}`,
      );
    },
  });
  // A connection that breaks while idle is replaced at its next use; without a listener it would end the process.
  pool.on('error', (error) => onError(error));
  return {
    sql: over(pool),
    transaction: (work) =>
      retryDeadlocks(() => transact(pool, work)).then(
        (result) => {
          onCommit();
          return result;
        },
        (error: unknown) => {
          onCommit(error);
          throw error;
        },
      ),
    connections: () => ({ total: pool.totalCount, max, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/** Runs work again that the database rolled back because it and another transaction waited for each other. */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let left = DEADLOCK_RETRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || databaseError(error)?.state !== DEADLOCK_DETECTED) throw error;
    }
  }
}

async function transact<T>(pool: pg.Pool, work: (tx: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements says so here; without a listener it would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(over(client));
    await client.query('commit');
    return result;
  } catch (error) {
    // A rollback would wait behind the statement without an answer; the end of the connection is one, too.
    if (isUnanswered(error)) broken = error as Error;
    else
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** The SQLSTATE and constraint of a database error, or undefined for any other error. A cluster's shard suffix is cut off. */
export function databaseError(error: unknown): { state: string; constraint: string | undefined } | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return undefined;
  return { state: error.code, constraint: error.constraint?.replace(/_\d+$/, '') };
}

/** Whether a statement had no answer in time: whether it was done is unknown. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === UNANSWERED;
}

function over(queryable: pg.Pool | pg.PoolClient): Sql {
  return async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
    const { name, text } = statement(strings);
    const result = await queryable.query({ name, text, values });
    return result.rows as Row[];
  };
}

const statements = new WeakMap<TemplateStringsArray, { name: string; text: string }>();

/** A template's text with $1, $2 … in the gaps, and the name it is prepared under. Each template is one object for life. */
function statement(strings: TemplateStringsArray): { name: string; text: string } {
  let known = statements.get(strings);
  if (known === undefined) {
    const text = strings.reduce((text, part, gap) => `${text}$${gap}${part}`);
    known = { name: createHash('sha1').update(text).digest('hex').slice(0, 16), text };
    statements.set(strings, known);
  }
  return known;
}
