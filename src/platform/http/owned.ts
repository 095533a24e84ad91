// The access check of resources: a caller can use a resource only if it exists and belongs to the caller's account.
import { type ProblemName, refuse } from '../../core/problems.ts';

/** The problems for a missing resource (default `notFound`) and for a resource of another account (default `forbidden`). */
export type AccessProblems = { missing?: ProblemName | undefined; forbidden?: ProblemName | undefined };

/** The account of a caller; and a customer, if the token is for this customer only. */
export type Access = { accountId: string; customerId?: string | undefined };

/** For a token of one customer: checks a resource before its idempotency key, because the key does not say whose the stored answer is. */
export async function checkEarly({ customerId }: Access, check: () => Promise<unknown>): Promise<void> {
  if (customerId !== undefined) await check();
}

/** Returns the resource that was found. Refuses with 404 if there is none, and with 403 if it belongs to another account, or is not of the one customer. */
export function requireOwned<T extends { accountId: string; customerId?: string | null }>(
  found: T | undefined,
  caller: Access,
  { missing = 'notFound', forbidden = 'forbidden' }: AccessProblems = {},
): T {
  if (!found) throw refuse(missing);
  if (found.accountId !== caller.accountId) throw refuse(forbidden);
  // What has no customer is not of this one.
  if (caller.customerId !== undefined && found.customerId !== caller.customerId) throw refuse(forbidden);
  return found;
}
