// The scopes that people may give to applications: nobody gives what their own roles do not have.
import type { Role } from '../operators/role.ts';
import { SCOPES, type Scope } from './application.ts';

/**
 * The scopes of each role. `read` shows personal data and money, `write` and `funds` move money: a role has a scope only if it may do all
 * of that in the console. OPERATIONS.md has this table.
 */
export const ROLE_SCOPES: Record<Role, readonly Scope[]> = {
  viewer: [],
  reviewer: ['review'],
  finance: ['read', 'write', 'funds'],
  operator: [],
  admin: SCOPES,
};

/** Scopes with which an application acts in place of a person who moves money or decides on documents. */
const OF_TWO: readonly Scope[] = ['funds', 'review'];

export function scopesOf(roles: readonly Role[]): Scope[] {
  return SCOPES.filter((scope) => roles.some((role) => ROLE_SCOPES[role].includes(scope)));
}

/** Whether an application with these scopes takes a second person. */
export function takesTwo(scopes: readonly Scope[]): boolean {
  return scopes.some((scope) => OF_TWO.includes(scope));
}
