// `earmark documents erase|hold`: erases the content of documents at once, as a person may ask for, or keeps it, as a court may.
import { bucketOf, isId } from '../../core/ids.ts';
import { writeAudit } from '../../ledger/audit/audit.ts';
import { type Document, holdDocument, listDocuments } from '../../resources/documents/document.ts';
import { eraseDocument } from '../../resources/documents/erase.ts';
import { openStores } from '../../resources/documents/store/store.ts';
import { commandLineActor, commandLineReviewer } from './actor.ts';
import { CallError, UsageError } from './command.ts';
import { print } from './output.ts';
import { findWanted } from './review.ts';
import { type Tools, withDatabase } from './with-database.ts';

type Options = { owner: string | undefined; customer: string | undefined };
type EraseCall = { words: readonly [id: string | undefined]; options: Options; json: boolean };

const NOTE = 'The content of the document was erased on request.';

export async function erase({ words: [id], options, json }: EraseCall): Promise<number> {
  const { owner, customer } = options;
  if ([id, owner, customer].filter((one) => one !== undefined).length !== 1) {
    throw new CallError('Name one of DOCUMENT_ID, --owner and --customer.');
  }
  const counts = await withDatabase(async (tools) => {
    const { config, database } = tools;
    const wanted = id === undefined ? await listWanted(tools, { owner, customer }) : [await findWanted(tools, id)];
    const stores = openStores(config, database);
    const reviewer = commandLineReviewer();
    let erased = 0;
    for (const document of wanted) {
      const resource = { type: 'document', id: document.id };
      const act = { action: 'erase_document', resource, detail: { status: document.status } } as const;
      const also = { also: (tx: typeof database.sql) => writeAudit(tx, commandLineActor(), act) };
      if (await eraseDocument({ config, database, stores }, document.id, { reviewer, note: NOTE }, new Date(), also)) erased++;
    }
    // What fails is left to the job: without its key, content is of no use.
    await stores.current.sweep(new Date(0)).catch(() => 0);
    const held = wanted.filter((document) => document.held !== null).length;
    return { erased, erased_before: wanted.length - erased - held, on_hold: held };
  });
  print(counts, json);
  return 0;
}

type HoldCall = { words: readonly [id: string]; options: { reason: string; end: boolean }; json: boolean };

export async function hold({ words: [id], options: { reason, end }, json }: HoldCall): Promise<number> {
  if (!reason.trim()) throw new CallError('Say why with --reason: it is kept in the audit log.');
  await withDatabase(async (tools) => {
    const document = await findWanted(tools, id);
    if (document.copyKey === null) throw new UsageError('The content of this document has been erased.');
    await tools.database.transaction(async (tx) => {
      await holdDocument(tx, document, end ? null : new Date());
      const resource = { type: 'document', id };
      const act = { action: end ? 'release_document' : 'hold_document', resource, detail: { reason } } as const;
      await writeAudit(tx, commandLineActor(), act);
    });
  });
  print({ document_id: id, on_hold: !end }, json);
  return 0;
}

/** The documents of a beneficial owner, or of a customer without its owners. */
async function listWanted({ database }: Tools, { owner, customer }: Options): Promise<Document[]> {
  const id = owner ?? customer!;
  const subject = { accountId: '', customerId: id, ownerId: owner ?? null };
  const documents = isId(id) ? await listDocuments(database.sql, { bucket: bucketOf(id), ...subject }) : [];
  if (documents.length === 0) throw new UsageError(`${owner ? 'The beneficial owner' : 'The customer'} ${id} has no documents.`);
  return documents;
}
