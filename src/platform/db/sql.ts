// SQL as tagged templates over `pg`: values are always parameters, and each statement is prepared once per connection.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { clientOf } from './client.ts';

/**
 * Runs one statement and returns its rows: ``sql<Row>`select … where id = ${id}` ``. The column `account_id` becomes the member
 * `accountId`. A value made by `fragment` is a part of the statement.
 */
export type Sql = <Row = Record<string, unknown>>(text: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

export type Database = {
  sql: Sql;
  /** Runs work in a transaction: commits when it returns, rolls back when it throws. Retries after a deadlock. */
  transaction<T>(work: (tx: Sql) => Promise<T>): Promise<T>;
  /** Pool statistics: open connections, their maximum, idle ones, and callers waiting for one. */
  connections(): { total: number; max: number; idle: number; waiting: number };
  close(): Promise<void>;
};

/**
 * Time limits for connecting and for a statement; 0 is no limit. `byIndex`: the planner may use nothing but index scans and nested
 * loops while they are possible, because a cached plan from the time when a table was small must suit the table when it is large.
 */
type Limits = { connectMs: number; statementMs: number; byIndex?: boolean };

/** With ANSWER_GRACE_MS, every statement of a request ends within ten seconds. */
export const LIMITS = {
  request: { connectMs: 3_000, statementMs: 5_500, byIndex: true },
  delivery: { connectMs: 10_000, statementMs: 30_000, byIndex: true },
  housekeeping: { connectMs: 10_000, statementMs: 600_000 },
  /** More than a pause of this process or a busy server takes. */
  probe: { connectMs: 1_500, statementMs: 1_500 },
  none: { connectMs: 10_000, statementMs: 0 },
} satisfies Record<string, Limits>;
/** The server cancels a statement at its limit. If it does not respond within this time either, the connection is dropped. */
const ANSWER_GRACE_MS = 1_000;
/**
 * The server ends an idle transaction, so that a paused process does not block others with its locks. By so much earlier than the
 * statements of requests that wait for them, so that these still succeed.
 */
const STANDSTILL_BEFORE_MS = 1_000;
/** Without `jit`, which versions before 18 use when a plan has a method that is switched off. */
const BY_INDEX = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map((name) => `set ${name} = off; `)
  .join('');
/** The message of `pg` for a statement that timed out on the client. */
const UNANSWERED = 'Query read timeout';
const DEADLOCK_DETECTED = '40P01';
/** A Citus cluster resolves a deadlock between servers by a cancellation, and the cancelled statement may not know why. */
const CANCELLED = { state: '57014', message: 'canceling statement due to user request' };
const DEADLOCK_RETRIES = 3;

type Options = {
  max: number;
  /** How many connections stay open without work. A new one takes ten times as long for its first transfer as others. By default none. */
  min?: number;
  onError: (error: Error) => void;
  limits?: Limits;
  /** Called after a commit, or with the error of a failed transaction. */
  onCommit?: (error?: unknown) => void;
};

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, BigInt);

/** Opens a connection pool. Returns int8 as bigint, timestamptz as Date, jsonb parsed, uuid and numeric as text. */
export function openDatabase(url: string, options: Options): Database {
  const { max, min = 0, onError, limits = LIMITS.none, onCommit = () => {} } = options;
  const { connectMs, statementMs, byIndex = false }: Limits = limits;
  const standstillMs = LIMITS.request.statementMs - STANDSTILL_BEFORE_MS;
  const pool = new pg.Pool({
    ...clientOf(url),
    max,
    min,
    types,
    connectionTimeoutMillis: connectMs,
    ...(statementMs > 0 && { query_timeout: statementMs + ANSWER_GRACE_MS }),
    application_name: 'earmark',
    // Not as startup parameters, because some poolers reject them.
    async onConnect(client) {
      await client.query(
        `${byIndex ? BY_INDEX : ''}set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${standstillMs}`,
      );
    },
  });
  // The pool replaces a broken idle connection; without a listener the event would crash the process.
  // A server that stops just after the pool ended may still answer on a connection that is closing.
  pool.on('error', (error) => {
    if (!pool.ending) onError(error);
  });
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

/** Retries work that the database rolled back because of a deadlock. */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let left = DEADLOCK_RETRIES; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  const state = databaseError(error)?.state;
  return state === DEADLOCK_DETECTED || (state === CANCELLED.state && (error as Error).message === CANCELLED.message);
}

async function transact<T>(pool: pg.Pool, work: (tx: Sql) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Emitted when the connection breaks between two statements; without a listener the event would crash the process.
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
    // A rollback would wait behind the unanswered statement. Closing the connection also rolls back.
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

/**
 * Returns the SQLSTATE and constraint of a database error, undefined for other errors. A Citus cluster names the constraint in the message
 * only, and adds the number of the shard.
 */
export function databaseError(error: unknown): { state: string; constraint: string | undefined } | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return undefined;
  const constraint = error.constraint ?? /constraint "(\w+)"/.exec(error.message)?.[1];
  return { state: error.code, constraint: constraint?.replace(/_\d+$/, '') };
}

/** Whether a statement timed out on the client. Whether it took effect is unknown. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === UNANSWERED;
}

export type { Fragment };

/** A part of a statement, with its own parameters. */
class Fragment {
  readonly strings: TemplateStringsArray;
  readonly values: unknown[];

  constructor(strings: TemplateStringsArray, values: unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** A part that several statements share, such as a select list or a condition: ``fragment`where id = ${id}` ``. */
export function fragment(strings: TemplateStringsArray, ...values: unknown[]): Fragment {
  return new Fragment(strings, values);
}

/** The name of a table or column as a part of a statement. The name must be of the source, never input. */
export function identifier(name: string): Fragment {
  return new Fragment(Object.assign([name], { raw: [name] }), []);
}

/** `columns`: the names of the members of a row, known after the first execution. */
type Statement = { name: string; text: string; columns?: string[] };
type Bound = { statement: Statement; values: unknown[] };

function over(queryable: pg.Pool | pg.PoolClient): Sql {
  return async <Row>(strings: TemplateStringsArray, ...parameters: unknown[]) => {
    const { statement, values } = bind(strings, parameters);
    const { name, text } = statement;
    const { rows, fields } = await queryable.query({ name, text, values, rowMode: 'array' });
    statement.columns ??= fields.map((field) => camelCase(field.name));
    return rows.map((row) => toObject(statement.columns!, row)) as Row[];
  };
}

const byTemplate = new WeakMap<TemplateStringsArray, Statement>();
/** Statements with fragments. Bounded: fragments are templates of the source too. */
const byText = new Map<string, Statement>();

/** Returns the statement of a template, with $1, $2 … for its parameters. A template literal is always the same object. */
function bind(strings: TemplateStringsArray, parameters: unknown[]): Bound {
  if (parameters.some((parameter) => parameter instanceof Fragment)) return bindParts(strings, parameters);
  let statement = byTemplate.get(strings);
  if (statement === undefined) {
    statement = prepare(strings.reduce((text, part, gap) => `${text}$${gap}${part}`));
    byTemplate.set(strings, statement);
  }
  return { statement, values: parameters };
}

function bindParts(strings: TemplateStringsArray, parameters: unknown[]): Bound {
  const values: unknown[] = [];
  const write = (parts: readonly string[], gaps: unknown[]): string =>
    parts.reduce((text, part, index) => {
      const gap = gaps[index - 1];
      return `${text}${gap instanceof Fragment ? write(gap.strings, gap.values) : `$${values.push(gap)}`}${part}`;
    });
  const text = write(strings, parameters);
  let statement = byText.get(text);
  if (statement === undefined) {
    statement = prepare(text);
    byText.set(text, statement);
  }
  return { statement, values };
}

function prepare(text: string): Statement {
  return { name: createHash('sha1').update(text).digest('hex').slice(0, 16), text };
}

/** The name of a column in a row. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function toObject(columns: string[], row: unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) object[columns[index]!] = row[index];
  return object;
}
