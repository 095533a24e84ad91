// Erases the texts of a customer: names, contact and identity data, references, external ids and metadata of everything it has. Ids,
// amounts and times stay. Without its salt, the hashes of the transparency log say nothing of the texts.
import { bucketOf } from '../../core/ids.ts';
import { UserError } from '../../core/user-error.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { ofCustomer } from '../../ledger/transfers/balance.ts';
import { eraseEvidence } from '../../ledger/transfers/evidence.ts';
import { nowOfAccount } from '../../platform/db/account-clock.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { eraseBodies } from '../../platform/idempotency/store.ts';
import { findCustomer } from './customer.ts';
import { freeExternalId } from './external-id.ts';
import { searchColumnsOf } from './folding.ts';

const NOTHING = { firstName: '', lastName: '', email: '', profile: {} };
/** Every return has a reason. */
const ERASED_REASON = 'erased';
const noTexts = fragment`correlation_id = null, external_id = null, metadata = null`;

/** Throws a UserError unless the customer is deactivated and without money. */
export async function eraseCustomer(tx: Sql, id: string): Promise<void> {
  const bucket = bucketOf(id);
  // Transfers lock the accounts.
  await tx`select lock_customers(${[bucket]}::int[], ${[id]}::uuid[])`;
  const customer = await findCustomer(tx, id);
  if (!customer) throw new UserError(`There is no customer ${id}.`);
  if (customer.status !== 'deactivated') throw new UserError(`The customer ${id} is ${customer.status}. Deactivate it first.`);
  const funded = await tx`select 1 from ledger_account where ${ofCustomer(id)} and balance <> 0 limit 1`;
  if (funded.length > 0) throw new UserError(`The customer ${id} has money. Withdraw it first.`);
  const { accountId, externalId } = customer;
  const { searchText, searchGrams } = searchColumnsOf({ accountId, ...NOTHING });
  await tx`
    update customer set first_name = '', last_name = '', email = '', profile = '{}', sealed = null, ${noTexts}, log_salt = null,
      search_text = ${searchText}, search_grams = ${searchGrams}
    where bucket = ${bucket} and id = ${id}`;
  if (externalId !== null) await freeExternalId(tx, { accountId, externalId });
  await tx`update ledger_account set name = null, former_names = null, erased = true, ${noTexts} where ${ofCustomer(id)} and kind = 'label'`;
  await tx`
    update transfer set reference = null, ${noTexts}, reason = case when reason is not null then ${ERASED_REASON} end
    where bucket = ${bucket} and customer_id = ${id}`;
  await tx`delete from transfer_metadata where bucket = ${bucket} and customer_id = ${id}`;
  await eraseEvidence(tx, id);
  await tx`update hold set reference = null, ${noTexts} where bucket = ${bucket} and customer_id = ${id}`;
  await tx`update schedule set reference = null, ${noTexts} where bucket = ${bucket} and customer_id = ${id}`;
  await tx`update allocation_rule set name = '' where bucket = ${bucket} and customer_id = ${id}`;
  await eraseBodies(tx, customer);
  await tx`delete from change_request where wanted ->> 'customerId' = ${id}`;
  const [clock] = await tx<{ now: Date }>`
    select ${nowOfAccount(new Date())} as now
    from (select ${accountId}::uuid as id) a left join account_clock clock on clock.account_id = a.id`;
  const { now } = clock!;
  await writeEvent(tx, { ...customer, customerId: id, resourceId: id, topic: 'customer_erased' }, now);
}
