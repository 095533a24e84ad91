// The access check of resources: a caller can use a resource only if it exists and belongs to the caller's account.
import { type ProblemName, refuse } from '../../core/problems.ts';

/** The problems for a missing resource (default `notFound`) and for a resource of another account (default `forbidden`). */
export type AccessProblems = { missing?: ProblemName | undefined; forbidden?: ProblemName | undefined };

/** Returns the resource that was found. Refuses with 404 if there is none, and with 403 if it belongs to another account. */
export function requireOwned<T extends { accountId: string }>(
  found: T | undefined,
  caller: { accountId: string },
  { missing = 'notFound', forbidden = 'forbidden' }: AccessProblems = {},
): T {
  if (!found) throw refuse(missing);
  if (found.accountId !== caller.accountId) throw refuse(forbidden);
  return found;
}
