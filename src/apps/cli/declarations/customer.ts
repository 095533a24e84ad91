// Declaration of `earmark customer erase`.
import { command } from '../command.ts';

export const eraseCustomer = command({
  name: 'customer erase',
  about:
    'Erases the texts of a customer: names, contact and identity data, references, external ids and metadata. This cannot be undone.',
  detail: `The customer must be deactivated and without money. Ids, amounts and times stay, and so do balances and the figures of statements.
The salt of the customer is erased too: then nobody can link the hashes of the transparency log with texts. The log and the audit
log say that the texts were erased. Erase its documents with earmark documents erase. Backups keep the texts until they are deleted.`,
  words: [{ name: 'ID', about: 'the id of the customer' }],
  examples: ['earmark customer erase 01890000-0000-7000-8000-000000000000 --yes'],
  asks: ({ words: [id] }) => `Erase the texts of the customer ${id}? This cannot be undone.`,
  run: async (call) => (await import('../customer.ts')).erase(call),
});
