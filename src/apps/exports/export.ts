// Exports the ledger of an account into a folder of parts. An interrupted export continues after its last complete part.
//
// Entries are never changed, nor dated before one that exists: what is dated before a moment that is a minute old is a snapshot of the
// ledger, for which no transaction has to stay open, and which a later process reads again.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FIRST_ID } from '../../core/ids.ts';
import { UserError } from '../../core/user-error.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { isDatabaseUnavailable } from '../../platform/db/unavailable.ts';
import type { ExportKind, Format } from './choices.ts';
import { writeAs } from './formats.ts';
import { COLUMNS, type Row, rowsOf } from './rows.ts';

/** Times in ISO 8601. `from`: null for everything before `to`. */
export type ExportRequest = { kind: ExportKind; format: Format; account: string; from: string | null; to: string };
type Options = { folder: string; onShare(share: number, text: string): void; partRows?: number };
type Part = { file: string; rows: number };
type Exported = { parts: Part[]; rows: number };
/** `after`: the last customer of the complete parts. */
type State = ExportRequest & { parts: Part[]; after: string; complete: boolean };

/** An export cannot be made in a folder. The message is one line. */
class ExportError extends UserError {}

const STATE = 'export.json';
/** A part ends after the customer that fills it. */
const PART_ROWS = 500_000;
const PAGE_CUSTOMERS = 500;

/** Reads the request of an export in a folder that is not complete, or undefined. */
export async function findUnfinished(folder: string): Promise<ExportRequest | undefined> {
  const state = await naming(folder, readState(folder));
  return state && !state.complete ? state : undefined;
}

/** Exports into a folder that is new, empty, or has the same export unfinished. `onShare` is called with the completed share. */
export async function exportLedger(sql: Sql, request: ExportRequest, options: Options): Promise<Exported> {
  return naming(options.folder, exportParts(sql, request, options));
}

async function exportParts(
  sql: Sql,
  request: ExportRequest,
  { folder, onShare, partRows = PART_ROWS }: Options,
): Promise<Exported> {
  const state = await openState(folder, request);
  const { kind, format, account, from, to } = request;
  const period = { from: from === null ? undefined : new Date(from), before: new Date(to) };
  const total = await countCustomers(sql, account);
  let done = await countCustomers(sql, account, state.after);
  const customers = customersAfter(sql, account, state.after);
  for (let next = await customers.next(); !next.done || state.parts.length === 0; ) {
    const part: Part = { file: `${kind}-${String(state.parts.length + 1).padStart(5, '0')}.${format}`, rows: 0 };
    const pages = async function* (): AsyncGenerator<Row[]> {
      while (!next.done && part.rows < partRows) {
        for await (const page of rowsOf(sql, kind, next.value, period)) {
          part.rows += page.length;
          onShare(total === 0 ? 1 : done / total, `${(rowsIn(state) + part.rows).toLocaleString('en')} rows`);
          yield page;
        }
        state.after = next.value;
        done += 1;
        next = await customers.next();
      }
    };
    const path = join(folder, part.file);
    await writeAs[format](`${path}.partial`, COLUMNS[kind], pages());
    await rename(`${path}.partial`, path);
    state.parts.push(part);
    await writeState(folder, state);
  }
  await writeState(folder, { ...state, complete: true });
  return { parts: state.parts, rows: rowsIn(state) };
}

/** Awaits work on the files of a folder, and throws an ExportError that names it when one of them cannot be read or written. */
async function naming<T>(folder: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined || isDatabaseUnavailable(error)) throw error;
    throw new ExportError(`${folder} cannot be used: ${code}.`, { cause: error });
  }
}

function rowsIn({ parts }: State): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}

async function openState(folder: string, request: ExportRequest): Promise<State> {
  await mkdir(folder, { recursive: true });
  const state = await readState(folder);
  if (!state) {
    if ((await readdir(folder)).length > 0) throw new ExportError(`The folder ${folder} is not empty and has no export.`);
    const begun = { ...request, parts: [], after: FIRST_ID, complete: false };
    await writeState(folder, begun);
    return begun;
  }
  if (state.complete) throw new ExportError(`The folder ${folder} has a complete export. Choose another with --output.`);
  const differing = (Object.keys(request) as (keyof ExportRequest)[]).find((name) => state[name] !== request[name]);
  if (differing === undefined) return state;
  throw new ExportError(`The folder ${folder} has an unfinished export with another ${differing}: ${state[differing]}.`);
}

async function readState(folder: string): Promise<State | undefined> {
  const text = await readFile(join(folder, STATE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  try {
    return text === undefined ? undefined : (JSON.parse(text) as State);
  } catch {
    throw new ExportError(`${folder} cannot be used: its ${STATE} is damaged.`);
  }
}

/** A crash leaves the old state or the new one. */
async function writeState(folder: string, state: State): Promise<void> {
  const path = join(folder, STATE);
  await writeFile(`${path}.partial`, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
  await rename(`${path}.partial`, path);
}

async function* customersAfter(sql: Sql, account: string, after: string): AsyncGenerator<string, undefined> {
  for (let last = after; ; ) {
    const page = await sql<{ id: string }>`
      select id from customer where account_id = ${account} and id > ${last} order by id limit ${PAGE_CUSTOMERS}`;
    yield* page.map(({ id }) => id);
    if (page.length < PAGE_CUSTOMERS) return undefined;
    last = page.at(-1)!.id;
  }
}

/** The customers of an account, or only those up to an id. */
async function countCustomers(sql: Sql, account: string, until?: string): Promise<number> {
  const [row] = await sql<{ customers: number }>`
    select count(*)::int as customers from customer where account_id = ${account} and (${until}::uuid is null or id <= ${until})`;
  return row!.customers;
}
