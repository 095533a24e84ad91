// Roles of operators, and the table of what each may do.

export const ROLES = ['viewer', 'reviewer', 'finance', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const everyone: readonly Role[] = ROLES;

/** Who may do what. A person with several roles may do what any of them may. */
const permissions = {
  readOverview: everyone,
  /** Names, balances and states; no other personal data. */
  readCustomers: everyone,
  /** Addresses, e-mail and what else an account says of a person. */
  readPersonalData: ['reviewer', 'finance', 'admin'],
  changeCustomers: ['reviewer', 'operator', 'admin'],
  reviewDocuments: ['reviewer', 'admin'],
  readMoney: ['viewer', 'finance', 'admin'],
  moveMoney: ['finance', 'admin'],
  readStatements: ['finance', 'admin'],
  manageWebhooks: ['operator', 'admin'],
  manageApplications: ['operator', 'admin'],
  readOperations: ['viewer', 'operator', 'admin'],
  runOperations: ['operator', 'admin'],
  managePeople: ['admin'],
  readAuditLog: ['admin'],
  /** Sandbox only. */
  rehearse: ['reviewer', 'finance', 'operator', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof permissions;

export function may(roles: readonly Role[], permission: Permission): boolean {
  const allowed: readonly Role[] = permissions[permission];
  return roles.some((role) => allowed.includes(role));
}
