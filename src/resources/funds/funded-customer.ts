// A customer with what its deposits and withdrawals need: its funding accounts and its active allocation rules, by one statement.
import { fundingAccountsIn, selectFundingAccounts } from '../../ledger/transfers/balance.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { type Access, type AccessProblems, requireOwned } from '../../platform/http/owned.ts';
import { activeRuleIn, type StoredActiveRule, selectActiveRules } from '../allocation-rules/allocation-rule.ts';
import { canAllocate } from '../allocation-rules/apply.ts';
import { type Customer, customerColumns } from '../customers/customer.ts';

export type FundedCustomer = Customer & { accounts: string | null; rules: StoredActiveRule[] | null };

const findFundedCustomer = lookUp<FundedCustomer>(
  ({ bucket, id }) => fragment`
    select ${customerColumns(bucket)}, (${selectFundingAccounts(bucket, id)}) as accounts,
      (${selectActiveRules(bucket, id)}) as rules
    from customer where bucket = ${bucket} and id = ${id}`,
);

/** Returns a customer of the caller's account. Refuses as requireOwned does; with `customerNotFound` if no other problem is given. */
export async function requireFundedCustomer(
  sql: Sql,
  caller: Access,
  id: string,
  problems: AccessProblems = { missing: 'customerNotFound' },
): Promise<FundedCustomer> {
  const customer = await findFundedCustomer(sql, id);
  requireOwned(customer && { accountId: customer.accountId, customerId: customer.id }, caller, problems);
  return customer!;
}

/** The funding accounts in a currency, or undefined before the first deposit in it; and the rule that applies to a deposit now, if one does. */
export function fundsIn(currency: string, customer: FundedCustomer) {
  return {
    accounts: fundingAccountsIn(currency, customer.accounts),
    rule: canAllocate(customer) ? activeRuleIn(currency, customer.rules) : undefined,
  };
}
