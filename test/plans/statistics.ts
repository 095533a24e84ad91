// What the statements of a service cost in blocks and rows, from the statistics of PostgreSQL.
import pg from 'pg';

/** `blocks` and `rows` of a call: the mean. */
export type Cost = { text: string; calls: number; blocks: number; rows: number };
export type Costs = Map<string, Cost>;
export type RowsRead = { table: string; index: string; rows: number }[];
export type Statistics = Awaited<ReturnType<typeof openStatistics>>;

/** Reads the statistics of a server that loads pg_stat_statements. */
export async function openStatistics(databaseUrl: string) {
  const [client, locker] = [new pg.Client({ connectionString: databaseUrl }), new pg.Client({ connectionString: databaseUrl })];
  await Promise.all([client.connect(), locker.connect()]);
  await client.query('create extension pg_stat_statements');
  // Keys are made under a lock of their table.
  const { rows: tables } = await client.query(
    "select relid::regclass::text as name from pg_stat_user_tables where relname not in ('signing_key', 'log_key')",
  );
  return {
    /** Takes the lock that an analysis needs, and nothing else, on each table until `close`. */
    async forbidAnalysis(): Promise<void> {
      await locker.query(`begin; lock table ${tables.map(({ name }) => name).join(', ')} in share update exclusive mode`);
    },
    /** Forgets what was counted. */
    async reset(): Promise<void> {
      await client.query('select pg_stat_statements_reset(), pg_stat_reset()');
    },
    /** The cost of each statement since the reset, those within functions included. */
    async costs(): Promise<Costs> {
      const { rows } = await client.query<Cost & { id: string }>(`
        select queryid || ' ' || toplevel as id, min(query) as text, sum(calls)::float as calls, sum(rows) / sum(calls)::float as rows,
          sum(shared_blks_hit + shared_blks_read) / sum(calls)::float as blocks
        from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database()) and query !~ 'pg_stat| as waiting$' group by 1`);
      return new Map(rows.map(({ id, ...cost }) => [id, cost]));
    },
    /** The blocks of all statements since the reset, except those of webhooks, which are delivered meanwhile. */
    async blocks(): Promise<number> {
      const [row] = await query(
        "select sum(shared_blks_hit + shared_blks_read)::float as blocks from pg_stat_statements where toplevel and query !~ 'webhook'",
      );
      return row.blocks;
    },
    /** The rows that scans of each index and table returned since the reset. */
    async rowsRead(): Promise<RowsRead> {
      await client.query('select pg_stat_force_next_flush()');
      return query(`
        select relname as table, indexrelname as index, idx_tup_read::int as rows from pg_stat_user_indexes where idx_tup_read > 0
        union all
        select relname, 'sequential scan', seq_tup_read::int from pg_stat_user_tables where seq_tup_read > 0
        order by rows desc`);
    },
    query,
    async close(): Promise<void> {
      await Promise.all([client.end(), locker.end()]);
    },
  };

  async function query(text: string) {
    return (await client.query(text)).rows;
  }
}
