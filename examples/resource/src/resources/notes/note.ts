// Notes: schema, queries and representation. A note is a text about a customer.
import type { Static } from 'typebox';
import { bucketOf } from '../../core/ids.ts';
import { NO_CONTROL_CHARACTERS, STRICT } from '../../core/schema.ts';
import { Type } from '../../core/type.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema, type Page } from '../../platform/http/paging.ts';

type Note = { id: string; accountId: string; customerId: string; text: string; created: Date };
export type NoteRequest = Static<typeof NoteRequest>;

const TEXT_MAX = 1000;
const Text = Type.String({ minLength: 1, maxLength: TEXT_MAX, pattern: NO_CONTROL_CHARACTERS });

export const NoteRequest = Type.Object({ text: Text }, { title: 'NoteRequest', ...STRICT });

export const NoteSchema = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema, customer: LinkSchema }),
    id: IdSchema,
    created: Type.String({ format: 'date-time' }),
    text: Type.String(),
  },
  { title: 'Note' },
);

const columns = fragment`id, account_id, customer_id, text, created`;

/** The caller's note. Throws 404 if it is missing, 403 if it is another account's. */
export async function requireNote(sql: Sql, caller: { accountId: string }, id: string): Promise<Note> {
  const [note] = await sql<Note>`select ${columns} from note where bucket = ${bucketOf(id)} and id = ${id}`;
  return requireOwned(note, caller);
}

/** A page of a customer's notes, newest first, and the total. */
export async function listNotes(
  sql: Sql,
  customerId: string,
  { limit, offset }: Page,
): Promise<{ elements: Note[]; total: number }> {
  const notes = fragment`from note where bucket = ${bucketOf(customerId)} and customer_id = ${customerId}`;
  const elements = await sql<Note>`select ${columns} ${notes} order by id desc limit ${limit} offset ${offset}`;
  const [count] = await sql<{ total: bigint }>`select count(*) as total ${notes}`;
  return { elements, total: Number(count?.total) };
}

export function represent(links: Links, { id, customerId, text, created }: Note): Static<typeof NoteSchema> {
  return {
    _links: { self: links.to('note', id), customer: links.to('customer', customerId) },
    id,
    created: created.toISOString(),
    text,
  };
}
