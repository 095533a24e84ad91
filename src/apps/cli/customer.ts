// `earmark customer erase`: erases the texts of a customer, as a person may ask for.
import { isId } from '../../core/ids.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { eraseCustomer } from '../../resources/customers/erase.ts';
import { commandLineActor } from './actor.ts';
import { UsageError } from './command.ts';
import { print } from './output.ts';
import { withDatabase } from './with-database.ts';

export async function erase({ words: [id], json }: { words: readonly [id: string]; json: boolean }): Promise<number> {
  if (!isId(id)) throw new UsageError(`There is no customer ${id}.`);
  await withDatabase(({ database }) =>
    database.transaction(async (tx) => {
      await eraseCustomer(tx, id);
      const resource = { type: 'customer', id };
      await writeAudit(tx, commandLineActor(), { action: 'erase_customer', resource });
    }),
  );
  print({ erased: id }, json);
  return 0;
}
