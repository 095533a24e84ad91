// The names of what entries of the audit log are about.
import type { AuditEntry } from '../../../ledger/audit/audit.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { findNames } from '../../../resources/customers/search.ts';
import { findDocumentNames } from '../../../resources/documents/names.ts';
import { nameOf } from '../customer-name.ts';
import { TYPE_NAMES } from '../review/type-name.ts';

/** By id. What has no name, or exists no more, is missing. `people`: those of the console. */
export async function namesOf(
  sql: Sql,
  entries: AuditEntry[],
  people: { id: string; name: string }[],
): Promise<Map<string, string>> {
  const idsOf = (type: string) => [
    ...new Set(entries.filter((entry) => entry.resourceType === type).flatMap(({ resourceId }) => resourceId ?? [])),
  ];
  const [customers, documents] = await Promise.all([
    findNames(sql, idsOf('customer')),
    findDocumentNames(sql, idsOf('document')),
  ]);
  return new Map([
    ...people.map(({ id, name }): [string, string] => [id, name]),
    ...Array.from(customers, ([id, customer]): [string, string] => [id, nameOf(customer)]),
    ...documents.map(({ id, type, firstName, lastName }): [string, string] => [
      id,
      `${TYPE_NAMES[type]} of ${nameOf({ firstName, lastName })}`,
    ]),
  ]);
}
