// What is recorded for a line of the bank: the customer that a person names, and the move.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { requestOfLine } from '../../../resources/bank-lines/record.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import { findByExternalIds } from '../../../resources/customers/external-id.ts';
import { fold } from '../../../resources/customers/folding.ts';
import { searchCustomers } from '../../../resources/customers/search.ts';
import type { Move } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { nameOf } from '../customer-name.ts';
import { shortId } from '../short-id.ts';
import { linesOf, requireOpen, type Work } from './work.ts';

/** Customers that have a text in their name. */
const NAMED_MAX = 50;
const SUGGESTED_MAX = 3;

export async function readRecord(
  service: Service,
  form: URLSearchParams,
  work: Work,
): Promise<{ customer: Customer; move: Move }> {
  const { account } = work.choices;
  const line = linesOf(work, service.clock.now(account)).get(requireOpen(work, form.get('item') ?? '').key);
  if (!line) throw refuse('badRequest', { message: 'Only a line of the bank is recorded.' });
  const customer = await findOwned(service, account, (form.get('customer') ?? '').trim());
  const move: Move = { kind: line.amount > 0n ? 'deposit' : 'withdrawal', ...requestOfLine(line) };
  return { customer, move };
}

/** By the id, by the client's own id, or by the whole name. A part of a name is not enough: what is recorded is not asked again. */
async function findOwned({ database: { sql } }: Pick<Service, 'database'>, account: string, text: string): Promise<Customer> {
  const id = isId(text)
    ? text
    : ((await findByExternalIds(sql, account, [text])).get(text) ?? (await idOfName(sql, account, text)));
  const customer = id === undefined ? undefined : await findCustomer(sql, id);
  if (customer?.accountId !== account)
    throw refuse('badRequest', { message: `No customer of the account has the id or the name “${text}”.` });
  return customer;
}

async function idOfName(sql: Sql, account: string, text: string): Promise<string | undefined> {
  const any = { inEmail: false, status: undefined, after: undefined };
  const found = await searchCustomers(sql, { ...any, accountId: account, text, limit: NAMED_MAX });
  const same = found.filter((customer) => fold(nameOf(customer)) === fold(text));
  if (same.length === 1) return same[0]!.id;
  const several = same.length > 1 ? same : found;
  if (several.length === 0) return undefined;
  const names = several.slice(0, SUGGESTED_MAX).map((customer) => `${nameOf(customer)} (${shortId(customer.id)})`);
  const message =
    same.length > 1
      ? `Several customers are called “${text}”: ${names.join(', ')}. Give the id of one.`
      : `Is it ${names.join(' or ')}? Write the whole name, or the id.`;
  throw refuse('badRequest', { message });
}
