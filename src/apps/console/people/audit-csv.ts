// Entries of the audit log as CSV, newest first.
import { textCell } from '../../../core/csv.ts';
import { type AuditFilter, listAudit } from '../../../ledger/audit/audit.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { CsvList } from '../csv-file.ts';

export function auditCsv(sql: Sql, filter: AuditFilter): CsvList<Awaited<ReturnType<typeof listAudit>>[number]> {
  return {
    columns: ['created', 'entry', 'person', 'personId', 'action', 'resourceType', 'resourceId', 'detail', 'from'],
    find: (before, limit) => listAudit(sql, { ...filter, before: before?.id }, limit),
    cells: ({ created, id, actor, operatorId, action, resourceType, resourceId, detail, place }) => [
      ...[created.toISOString(), id, textCell(actor), operatorId ?? '', action, resourceType ?? '', textCell(resourceId)],
      ...[textCell(JSON.stringify(detail)), textCell(place)],
    ],
  };
}
