// Creates a note about a customer, with its event.
import { bucketOf, newId } from '../../core/ids.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { NoteRequest } from './note.ts';

/** Returns the id of the new note. Call in a transaction. */
export async function createNote(
  tx: Sql,
  customer: { id: string; accountId: string },
  { text }: NoteRequest,
  now: Date,
): Promise<string> {
  const { id: customerId, accountId } = customer;
  const bucket = bucketOf(customerId);
  const id = newId(bucket);
  await tx`
    insert into note (bucket, id, account_id, customer_id, text, created)
    values (${bucket}, ${id}, ${accountId}, ${customerId}, ${text}, ${now})`;
  await writeEvent(tx, { bucket, accountId, customerId, topic: 'customer_note_created', resourceId: id }, now);
  return id;
}
