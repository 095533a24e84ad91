// Entries of the audit log as CSV, newest first.
import { csvLine, textCell } from '../../../core/csv.ts';
import { type AuditFilter, listAudit } from '../../../ledger/audit/audit.ts';
import type { Sql } from '../../../platform/db/sql.ts';

const PAGE_ENTRIES = 500;

export async function* csvOfAudit(sql: Sql, filter: AuditFilter): AsyncGenerator<string> {
  yield csvLine(['created', 'entry', 'person', 'personId', 'action', 'resourceType', 'resourceId', 'detail', 'from']);
  for (let before: string | undefined, isLast = false; !isLast; ) {
    const entries = await listAudit(sql, { ...filter, before }, PAGE_ENTRIES);
    yield entries
      .map(({ created, id, actor, operatorId, action, resourceType, resourceId, detail, place }) =>
        csvLine([
          ...[created.toISOString(), id, textCell(actor), operatorId ?? '', action, resourceType ?? '', textCell(resourceId)],
          ...[textCell(JSON.stringify(detail)), textCell(place)],
        ]),
      )
      .join('');
    before = entries.at(-1)?.id;
    isLast = entries.length < PAGE_ENTRIES;
  }
}
