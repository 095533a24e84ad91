// Submits a document: reads the upload, makes its clean copy, seals both, and inserts the document with its event.
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type Clock, later } from '../../core/clock.ts';
import { bucketOf, newId } from '../../core/ids.ts';
import { Refusal, refuse } from '../../core/problems.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Groups } from '../../platform/db/groups.ts';
import type { Database, Sql } from '../../platform/db/sql.ts';
import { idempotently } from '../../platform/idempotency/idempotently.ts';
import type { KeyedRequest } from '../../platform/idempotency/key.ts';
import type { StoredResponse } from '../../platform/idempotency/stored-response.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { packChip } from './chip/chip-files.ts';
import { type Document, listDocuments, type Subject } from './document.ts';
import type { Documents } from './document-service.ts';
import { contentContext } from './manifest.ts';
import type { Contents } from './store/content-store.ts';
import { lockSubjectNeedingDocument, requireSubject, type SubjectId, writeDocumentEvent } from './subject.ts';
import { readUpload, type Upload } from './upload.ts';

type Tools = {
  clock: Clock;
  config: Config;
  database: Database;
  documents: Documents;
  groups: Groups;
  log: FastifyBaseLogger;
  sealer: Sealer;
};

/** Per subject; rejected documents do not count. */
const MAX_DOCUMENTS = 4;

type Sealed = { contents: Contents; originalKey: Buffer; copyKey: Buffer };
type Submission = Pick<Document, 'id' | 'type' | 'source' | 'mediaType'> & { digest: string } & Sealed;

/**
 * Submits the document uploaded in a request. Refuses as requireSubject, readUpload and Pictures.clean do, and with: DuplicateResource for the same
 * content as a document that is not rejected, MaxNumberOfResources, InvalidResourceState unless the subject needs a document, 429
 * or 503 when too many uploads are in flight, and 503 when the store fails. A refusal leaves no content behind.
 */
export async function submitDocument(service: Tools, request: FastifyRequest, of: SubjectId): Promise<StoredResponse> {
  const { database, documents } = service;
  const subject = await requireSubject(database.sql, request.caller, of).catch((error: unknown) => {
    if (!mayBeRepeated(request, error)) throw error;
    return undefined;
  });
  const leave = documents.enter(request.caller.applicationId);
  try {
    const upload = await readUpload(request.raw, documents.arrivals.abortWhenLate(request.raw));
    const { method, url, headers, caller } = request;
    // The upload is not parsed as a body: these members stand for it in the fingerprint.
    const body = { documentType: upload.documentType, [upload.chip ? 'chip' : 'file']: upload.digest };
    const keyed = { method, url, headers, caller, body };
    return await (subject ? submitUpload(service, keyed, subject, upload) : repeatAnswer(service, keyed, of));
  } catch (error) {
    throw subject || !(error instanceof Refusal) || error.problem === 'conflict' ? error : refuse('notFound');
  } finally {
    leave();
  }
}

/** Whether the subject may have been removed since the request was answered. A token of one customer needs a subject of this one. */
function mayBeRepeated({ headers, caller }: FastifyRequest, error: unknown): boolean {
  const isMissing = error instanceof Refusal && error.problem === 'notFound';
  return isMissing && headers['idempotency-key'] !== undefined && caller.customerId === undefined;
}

/** The answer that is stored under the key of a request. Refuses with 404 if there is none. */
async function repeatAnswer(service: Tools, request: KeyedRequest, { id }: SubjectId): Promise<StoredResponse> {
  return idempotently(service, request, bucketOf(id), async () => {
    throw refuse('notFound');
  });
}

/** Submits content that has arrived. Refuses as submitDocument does. */
export async function submitUpload(
  service: Tools,
  request: KeyedRequest,
  subject: Subject,
  upload: Upload,
): Promise<StoredResponse> {
  const { documentType: type, file, chip, digest } = upload;
  const { accountId } = subject;
  const { pictures } = service.documents;
  const { mediaType, content } = await (chip
    ? pictures.cleanChip(chip, { accountId })
    : pictures.clean(file, { type, accountId }));
  const id = newId(subject.bucket);
  const original = chip ? packChip(chip) : file;
  const sealed = await seal(service.sealer, { accountId, id }, { original, copy: content });
  return storeAndInsert(service, request, subject, { id, type, source: chip ? 'chip' : 'picture', digest, mediaType, ...sealed });
}

async function seal(sealer: Sealer, document: { accountId: string; id: string }, plain: Contents): Promise<Sealed> {
  const original = await sealer.sealContent(plain.original, contentContext(document, 'original'));
  const copy = await sealer.sealContent(plain.copy, contentContext(document, 'copy'));
  const contents = { original: original.content, copy: copy.content };
  return { contents, originalKey: original.wrappedKey, copyKey: copy.wrappedKey };
}

async function storeAndInsert(
  service: Tools,
  request: KeyedRequest,
  subject: Subject,
  submission: Submission,
): Promise<StoredResponse> {
  const { documents, log } = service;
  const store = documents.stores.current;
  const stored = await store.keep(submission.id, submission.contents).catch((error: unknown) => {
    log.error({ err: error, store: store.name }, 'document store failed');
    throw refuse('unavailable');
  });
  let claimed = false;
  try {
    const answer = await idempotently(service, request, subject.bucket, async (tx) => {
      await insert(tx, service, subject, submission);
      await stored.claim(tx);
      return { status: 201, resource: { type: 'document', id: submission.id } };
    });
    claimed = !answer.replayed;
    return answer;
  } finally {
    if (!claimed) await stored.release();
    else documents.wake();
  }
}

async function insert(tx: Sql, service: Tools, subject: Subject, submission: Submission): Promise<void> {
  const { sealer, documents, clock } = service;
  const { id, type, source, digest, mediaType, originalKey, copyKey } = submission;
  await lockSubjectNeedingDocument(tx, subject);
  const macs = sealer.macs('document content', digest);
  await requireNew(
    tx,
    subject,
    macs.map((mac) => mac.hash),
  );
  const now = clock.now(subject.accountId);
  const checkAt = documents.checkDelayMs === undefined ? null : later(now, documents.checkDelayMs);
  await tx`
    insert into document (bucket, id, account_id, customer_id, owner_id, type, source, status, media_type, store,
      original_key, copy_key, content_mac, created, check_at)
    values (${subject.bucket}, ${id}, ${subject.accountId}, ${subject.customerId}, ${subject.ownerId}, ${type}, ${source}, 'pending', ${mediaType},
      ${documents.stores.current.name}, ${originalKey}, ${copyKey}, ${macs[0].hash}, ${now}, ${checkAt})`;
  await writeDocumentEvent(tx, subject, id, 'uploaded', now);
}

/** Refuses duplicates and more than MAX_DOCUMENTS. The subject must be locked. */
async function requireNew(tx: Sql, subject: Subject, macs: Buffer[]): Promise<void> {
  const counting = (await listDocuments(tx, subject)).filter(({ status }) => status !== 'rejected').map(({ id }) => id);
  const [same] = await tx<{ id: string }>`
    select id from document
    where bucket = ${subject.bucket} and id = any(${counting}) and content_mac = any(${macs})`;
  if (same) throw refuse('duplicateDocument', { about: { type: 'document', id: same.id } });
  if (counting.length >= MAX_DOCUMENTS) throw refuse('tooManyDocuments');
}
