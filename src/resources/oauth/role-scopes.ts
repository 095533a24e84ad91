// The scopes that people may give to applications: nobody gives what their own roles do not have.
import { may, type Permission, type Role } from '../operators/role.ts';
import { SCOPES, type Scope } from './scope.ts';

/**
 * What a person must be allowed to do in the console to have a scope: all that an application with it can do. docs/operations/people.md has this
 * table.
 */
export const SCOPE_NEEDS: Record<Scope, readonly Permission[]> = {
  read: ['readCustomers', 'readPersonalData', 'readMoney', 'readStatements'],
  write: ['changeCustomers', 'moveMoney', 'manageWebhooks'],
  funds: ['moveMoney'],
  review: ['reviewDocuments'],
};

/** What an application with a scope does, for people. */
export const SCOPE_ABOUT: Record<Scope, string> = {
  read: 'retrieves and lists everything of the account',
  write: 'creates and changes customers, labels, reallocations and webhook subscriptions',
  funds: 'records deposits and withdrawals',
  review: 'decides on documents',
};

/** Scopes with which an application acts in place of a person who moves money or decides on documents. */
const OF_TWO: readonly Scope[] = ['funds', 'review'];

export function scopesOf(roles: readonly Role[]): Scope[] {
  return SCOPES.filter((scope) => SCOPE_NEEDS[scope].every((permission) => may(roles, permission)));
}

/** Whether an application with these scopes takes a second person. */
export function takesTwo(scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => OF_TWO.includes(scope));
}
