// Tokens for one customer (RFC 9396): what `authorization_details` may say, and the operations that such a token can call.
import { bucketOf, isId } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Links } from '../../platform/http/links.ts';
import { OAuthError } from './oauth-error.ts';
import type { Scope } from './scope.ts';

/** The only type of details: one customer, and what may be done with it. */
export type CustomerDetails = { type: 'customer'; identifiers: [url: string]; actions: ('read' | 'write')[] };

export const DETAILS_TYPE = 'customer';
const ACTIONS = ['read', 'write'] as const;
const MEMBERS = ['type', 'identifiers', 'actions'];

/**
 * The operations on one customer. All others are refused, also new ones: what an account has as a whole (its customers, events, search,
 * webhooks, batches, logs), deposits and withdrawals, and reviews are not of one customer or not for its partner.
 */
const OPERATIONS: ReadonlySet<string> = new Set([
  ...['getCustomer', 'updateCustomer', 'getCustomerBalance', 'listTransfers', 'getStatement'],
  ...['listDeposits', 'getDeposit', 'listWithdrawals', 'getWithdrawal'],
  ...['createLabel', 'listLabels', 'getLabel', 'updateLabel', 'removeLabel', 'getLabelBalance'],
  ...['createLedgerEntry', 'listLedgerEntries', 'getLedgerEntry'],
  ...[
    'createLabelReallocation',
    'getLabelReallocation',
    'listLabelReallocations',
    'createReversal',
    'listReversals',
    'getReceipt',
  ],
  ...['listDepositReturns', 'listWithdrawalReturns', 'getReturn', 'listOwedEntries', 'getOwedEntry'],
  ...['createSchedule', 'listSchedules', 'getSchedule', 'updateSchedule', 'removeSchedule', 'listScheduleOccurrences'],
  ...['createHold', 'listHolds', 'getHold', 'captureHold', 'releaseHold'],
  ...[
    'createAllocationRule',
    'listAllocationRules',
    'previewAllocation',
    'getAllocationRule',
    'updateAllocationRule',
    'removeAllocationRule',
  ],
  ...['createMonitor', 'listMonitors', 'getMonitor', 'removeMonitor'],
  ...['createBeneficialOwner', 'listBeneficialOwners', 'getBeneficialOwner', 'updateBeneficialOwner', 'removeBeneficialOwner'],
  ...['getBeneficialOwnership', 'certifyBeneficialOwnership'],
  ...[
    'listBeneficialOwnerDocuments',
    'submitBeneficialOwnerDocument',
    'listCustomerDocuments',
    'submitCustomerDocument',
    'getDocument',
  ],
]);

/** Whether a token for one customer can call an operation, on what is of this customer. */
export function isForCustomers(operationId: string | undefined): boolean {
  return operationId !== undefined && OPERATIONS.has(operationId);
}

/** The scopes that are left of `scopes`. */
export function scopesIn({ actions }: CustomerDetails, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => actions.includes(scope as 'read' | 'write'));
}

/** The customer of details that were checked when their token was issued. */
export function customerIn({ identifiers: [url] }: CustomerDetails): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Reads `authorization_details`. Refuses what is not one customer of the account. */
export async function readDetails(
  { sql, links }: { sql: Sql; links: Pick<Links, 'idIn'> },
  accountId: string,
  text: string | undefined,
): Promise<CustomerDetails | undefined> {
  if (text === undefined) return undefined;
  const details = parseOne(text);
  const { type, identifiers, actions } = details;
  if (type !== DETAILS_TYPE) throw refused(`The type must be ${DETAILS_TYPE}.`);
  const unknown = Object.keys(details).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) throw refused(`The only members are ${MEMBERS.join(', ')}.`);
  const isList = Array.isArray(actions) && actions.length > 0 && new Set(actions).size === actions.length;
  if (!isList || !actions.every((action) => ACTIONS.includes(action)))
    throw refused(`The actions are a list of ${ACTIONS.join(' and ')}.`);
  const [url] = Array.isArray(identifiers) && identifiers.length === 1 ? identifiers : [];
  const id = typeof url === 'string' ? links.idIn(url, 'customer') : undefined;
  if (id === undefined || !isId(id)) throw refused('The identifiers are a list of the URL of one customer.');
  if (!(await isOwned(sql, accountId, id))) throw refused('The identifiers name no customer of the account.');
  return { type: DETAILS_TYPE, identifiers: [url as string], actions: ACTIONS.filter((action) => actions.includes(action)) };
}

function parseOne(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused('They are not JSON.');
  }
  const [one] = Array.isArray(value) && value.length === 1 ? value : [];
  if (typeof one !== 'object' || one === null) throw refused('They are a list of one object.');
  return one;
}

/** A customer of another account is as unknown as none. */
async function isOwned(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const [row] = await sql<{ accountId: string }>`
    select account_id from customer where bucket = ${bucketOf(id)} and id = ${id}`;
  return row?.accountId === accountId;
}

function refused(why: string): OAuthError {
  return new OAuthError('invalid_authorization_details', `The authorization_details are refused. ${why}`);
}
