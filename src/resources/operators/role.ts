// Roles of operators, and the table of what each may do.

export const ROLES = ['viewer', 'reviewer', 'finance', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What a role is for, for people. */
export const ROLE_ABOUT: Record<Role, string> = {
  viewer: 'reads, without personal data beyond names',
  reviewer: 'decides on documents, suspends and reactivates customers',
  finance: 'ledger, statements, exports, deposits, withdrawals, reallocations, reversals',
  operator: 'applications within the scopes of their other roles, subscriptions, jobs',
  admin: 'people, and everything else',
};

const everyone: readonly Role[] = ROLES;

/** Who may do what. A person with several roles may do what any of them may. docs/operations/people.md has this table. */
export const PERMISSIONS = {
  readOverview: { roles: everyone, about: 'read the overview' },
  readCustomers: { roles: everyone, about: 'read names, balances and states of customers' },
  readPersonalData: { roles: ['reviewer', 'finance', 'admin'], about: 'read addresses, e-mail and other personal data' },
  changeCustomers: { roles: ['reviewer', 'operator', 'admin'], about: 'suspend, deactivate and reactivate customers' },
  reviewDocuments: { roles: ['reviewer', 'admin'], about: 'look at documents and decide on them' },
  readMoney: { roles: ['viewer', 'finance', 'admin'], about: 'read transfers and ledger entries' },
  moveMoney: {
    roles: ['finance', 'admin'],
    about: 'make labels, deposits, withdrawals, reallocations and reversals; hold and plan money',
  },
  readStatements: { roles: ['finance', 'admin'], about: 'download statements' },
  manageWebhooks: { roles: ['operator', 'admin'], about: 'manage webhook subscriptions and deliveries' },
  manageApplications: { roles: ['operator', 'admin'], about: 'manage applications, within the scopes below' },
  readOperations: { roles: ['viewer', 'operator', 'admin'], about: 'read the state of jobs, queues and keys' },
  runOperations: { roles: ['operator', 'admin'], about: 'run jobs and the ledger check' },
  managePeople: { roles: ['admin'], about: 'add people, give roles and sign-in links' },
  setPolicies: { roles: ['admin'], about: 'set what checkers may decide about documents, and limits of what one person moves' },
  readAuditLog: { roles: ['admin'], about: 'read the audit log' },
  useSandbox: { roles: ['reviewer', 'finance', 'operator', 'admin'], about: 'use the screen Sandbox' },
} as const satisfies Record<string, { roles: readonly Role[]; about: string }>;

export type Permission = keyof typeof PERMISSIONS;

export function may(roles: readonly Role[], permission: Permission): boolean {
  const allowed: readonly Role[] = PERMISSIONS[permission].roles;
  return roles.some((role) => allowed.includes(role));
}
