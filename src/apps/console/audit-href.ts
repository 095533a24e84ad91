// The address of the audit log with a filter.

export const AUDIT_LOG = '/console/audit-log';
export const AUDIT_FIELDS = ['person', 'action', 'about', 'text', 'from', 'until'] as const;
/** The action that stands for every look at pictures, birth dates, statements and lists. */
export const LOOK = 'look';

/** The fields as they were given. `about`: the id of what the entries are about. */
export type AuditFields = Record<(typeof AUDIT_FIELDS)[number], string>;

export function auditHref(
  fields: Partial<AuditFields>,
  { path = AUDIT_LOG, before }: { path?: string; before?: string } = {},
): string {
  const given = Object.entries({ ...fields, before }).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
