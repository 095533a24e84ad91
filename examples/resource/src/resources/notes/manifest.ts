// The manifest of notes.
import { type Manifest, resetOfCustomers, rowOf } from '../../platform/manifest.ts';

export const notes = {
  tags: [{ name: 'notes', description: 'Texts about a customer' }],
  topics: { customer_note_created: { resource: 'note', about: 'A note was created' } },
  idempotent: { note: rowOf('note') },
  reset: resetOfCustomers('note'),
} satisfies Manifest;
