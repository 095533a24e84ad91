// Results of checks: what a checker read and found, stored sealed beside the reviews until the content of the document is erased.
import type { Hint } from '../../../../packages/document-reader/src/hints.ts';
import type { Reading } from '../../../../packages/document-reader/src/reading.ts';
import { newId } from '../../../core/ids.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Sealer } from '../../../platform/keys/sealing.ts';
import type { Holder } from '../chip/data-groups.ts';
import type { Finding } from '../comparison/compare.ts';
import type { Document } from '../document.ts';
import { readingContext } from '../manifest.ts';
import type { Reason } from '../reason.ts';
import type { Likeness } from './likeness.ts';

/** What a checker concluded, whether or not the conclusion may decide. */
export type CheckResult = {
  proposal: 'accepted' | 'rejected' | 'undecided';
  reasons: Reason[];
  findings: (Finding | Note)[];
  /** What was read from the picture, with lines and measures. */
  reading?: Reading;
  /** What a chip has beside its zone. */
  holder?: Holder;
  /** Documents of other people of the account that are alike. */
  likenesses?: Likeness[];
  /** What the file of a picture tells a person. Nothing is decided by it. */
  hints?: Hint[];
  /** The name that another service gave its check. */
  reference?: string;
};

/** What another service says about a document. */
type Note = { field: 'note'; result: 'unclear'; text: string };

export type StoredResult = CheckResult & { id: string; checker: string; version: string; created: Date };

type Checked = { name: string; version: string; result: CheckResult };

export async function writeResult(
  tx: Sql,
  sealer: Sealer,
  { bucket, id, accountId }: Document,
  { name, version, result }: Checked,
  now: Date,
): Promise<void> {
  const resultId = newId(bucket);
  const sealed = sealer.seal(JSON.stringify(result), readingContext({ accountId, id: resultId }));
  await tx`
    insert into document_reading (bucket, id, document_id, account_id, checker, version, sealed, created)
    values (${bucket}, ${resultId}, ${id}, ${accountId}, ${name}, ${version}, ${sealed}, ${now})`;
}

/** Lists the results of a document, newest first; none once its content is erased. */
export async function listResults(
  sql: Sql,
  sealer: Sealer,
  { bucket, id, accountId }: Pick<Document, 'bucket' | 'id' | 'accountId'>,
): Promise<StoredResult[]> {
  const rows = await sql<{ id: string; checker: string; version: string; sealed: Buffer; created: Date }>`
    select id, checker, version, sealed, created from document_reading
    where bucket = ${bucket} and document_id = ${id}
    order by id desc`;
  return rows.map(({ sealed, ...row }) => {
    const opened = sealer.open(sealed, readingContext({ accountId, id: row.id })).toString();
    return { ...row, ...(JSON.parse(opened) as CheckResult) };
  });
}
