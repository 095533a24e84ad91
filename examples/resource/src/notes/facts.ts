// Facts of notes.
import { type Facts, resetOfCustomers, rowOf } from '../facts.ts';

export const notes = {
  tags: [{ name: 'notes', description: 'Texts about a customer' }],
  topics: { customer_note_created: { resource: 'note', about: 'A note was created' } },
  idempotent: { note: rowOf('note') },
  reset: resetOfCustomers('note'),
} satisfies Facts;
