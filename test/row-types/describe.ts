// Asks PostgreSQL for the columns of a statement without running it (the messages Parse and Describe of its protocol).
import type pg from 'pg';

/** `type`: as TypeScript names what `sql` returns. `isNullable`: undefined for a value that is not a column of a table. */
export type Column = { name: string; type: string; isNullable: boolean | undefined };

type Field = { name: string; tableID: number; columnID: number; dataTypeID: number };
type Connection = {
  parse(statement: { text: string; name: string; types: number[] }): void;
  describe(what: { type: 'S'; name: string }): void;
  sync(): void;
};

/** The types that `openDatabase` (src/platform/db/sql.ts) and `pg` return, by those of PostgreSQL. */
const TYPES: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'bigint',
  json: 'JSON',
  jsonb: 'JSON',
  name: 'string',
  numeric: 'string',
  oid: 'number',
  pg_lsn: 'string',
  text: 'string',
  timestamptz: 'Date',
  uuid: 'string',
};

/** Prepares statements on one connection. */
export async function openDescriber(client: pg.Client): Promise<(text: string) => Promise<Column[]>> {
  const typeNames = await client.query<{ oid: number; name: string }>('select oid, typname as name from pg_type');
  const names = new Map(typeNames.rows.map(({ oid, name }) => [oid, name]));
  const attributes = await client.query<{ key: string; required: boolean }>(
    `select attrelid || '.' || attnum as key, attnotnull as required from pg_attribute
    where attrelid in (select oid from pg_class where relkind in ('r', 'p'))`,
  );
  const required = new Map(attributes.rows.map((row) => [row.key, row.required]));
  const typeOf = (oid: number): string => {
    const name = names.get(oid)!;
    return name.startsWith('_') ? `${TYPES[name.slice(1)] ?? name}[]` : (TYPES[name] ?? name);
  };
  return async (text) => {
    const fields = await describe(client, text);
    return fields.map(({ name, tableID, columnID, dataTypeID }) => {
      const isRequired = required.get(`${tableID}.${columnID}`);
      return { name, type: typeOf(dataTypeID), isNullable: isRequired === undefined ? undefined : !isRequired };
    });
  };
}

/** Describes a statement; one that returns no rows has no fields. */
function describe(client: pg.Client, text: string): Promise<Field[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Field[]>();
  let fields: Field[] = [];
  client.query({
    submit(connection: Connection) {
      connection.parse({ text, name: '', types: [] });
      connection.describe({ type: 'S', name: '' });
      connection.sync();
    },
    handleRowDescription(message: { fields: Field[] }) {
      fields = message.fields;
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(fields),
  } as unknown as pg.Submittable);
  return promise;
}
