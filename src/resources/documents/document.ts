// Identity documents of beneficial owners and customers: schema, queries and representation.
import type { Static } from 'typebox';
import { Type } from '../../core/type.ts';
import { lookUp } from '../../platform/db/look-up.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../../platform/http/links.ts';
import { requireOwned } from '../../platform/http/owned.ts';
import { IdSchema } from '../../platform/http/paging.ts';
import type { Evidence } from './evidence/evidence.ts';
import { EvidenceSchema } from './evidence/evidence-schema.ts';
import type { CleanCopy } from './picture.ts';
import { type DocumentType, describe, type Reason } from './reason.ts';
import { DocumentTypeSchema, ReasonSchema } from './reason-schema.ts';
import type { StoreName } from './store/content-store.ts';

type DocumentStatus = 'pending' | 'accepted' | 'rejected';

/** The subject of a document: a beneficial owner, or the customer itself when `ownerId` is null. */
export type Subject = { bucket: number; accountId: string; customerId: string; ownerId: string | null };

export type Document = Subject & {
  id: string;
  type: DocumentType;
  status: DocumentStatus;
  /** By precedence; null unless rejected. */
  reasons: Reason[] | null;
  source: 'picture' | 'chip';
  /** Of the clean copy. */
  mediaType: CleanCopy['mediaType'];
  store: StoreName;
  /** Null once the content is erased. */
  copyKey: Buffer | null;
  originalKey: Buffer | null;
  /** Null before a check. */
  evidence: Evidence | null;
  /** The review that waits for the agreement of a second reviewer. */
  opinionId: string | null;
  created: Date;
  /** Since when the content must not be erased; null without a legal hold. */
  held: Date | null;
};

export const DocumentSchema = Type.Object(
  {
    _links: Type.Object({
      self: LinkSchema,
      owner: linkWhen('Present on a document of a beneficial owner.'),
      customer: linkWhen('Present on a document of the customer.'),
      reviews: LinkSchema,
    }),
    id: IdSchema,
    status: Type.Enum(['pending', 'reviewed']),
    type: DocumentTypeSchema,
    created: Type.String({ format: 'date-time' }),
    documentVerificationStatus: Type.Enum(['pending', 'accepted', 'rejected']),
    failureReason: Type.Optional(ReasonSchema),
    allFailureReasons: Type.Optional(
      Type.Array(Type.Object({ reason: ReasonSchema, description: Type.String() }, { title: 'DocumentFailure' })),
    ),
    _embedded: Type.Optional(
      Type.Object({ evidence: EvidenceSchema }, { description: 'Present once the document was checked.' }),
    ),
  },
  { title: 'Document', description: 'failureReason and allFailureReasons are present only if the document was rejected.' },
);

/** Not paged: a subject has few documents. */
export const DocumentList = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    _embedded: Type.Object({ documents: Type.Array(DocumentSchema) }),
    total: Type.Integer({ minimum: 0 }),
  },
  { title: 'DocumentList' },
);

const columns = fragment`bucket, id, account_id, customer_id, owner_id, type, status, reasons, source, media_type, store, copy_key,
  original_key, evidence, opinion_id, created, held`;

/**
 * Whether the document `d` waits for a reviewer, the first or the second. The indexes of waiting documents have the first condition; a
 * decision that can still be taken back is not waited for.
 */
export const waits = fragment`(d.status = 'pending' or d.opinion_id is not null) and d.pending_until is null`;

export const findDocument = lookUp<Document>(
  ({ bucket, id }) => fragment`select ${columns} from document where bucket = ${bucket} and id = ${id}`,
);

/** Returns a document of the caller's account. Refuses as requireOwned does. */
export async function requireDocument(sql: Sql, caller: { accountId: string }, id: string): Promise<Document> {
  return requireOwned(await findDocument(sql, id), caller);
}

/** Lists the documents of a subject, newest first. */
export async function listDocuments(sql: Sql, { bucket, customerId, ownerId }: Subject): Promise<Document[]> {
  const ofSubject =
    ownerId === null ? fragment`customer_id = ${customerId} and owner_id is null` : fragment`owner_id = ${ownerId}`;
  return sql<Document>`
    select ${columns} from document
    where bucket = ${bucket} and ${ofSubject}
    order by id desc`;
}

/** Lists documents of an account, or of all, that wait for a reviewer, oldest first. */
export async function listWaiting(
  sql: Sql,
  { accountId, after, limit, offset = 0 }: { accountId?: string; after?: string | undefined; limit: number; offset?: number },
): Promise<Document[]> {
  return sql<Document>`
    select ${columns} from document d
    where ${waits}
      ${accountId === undefined ? fragment`` : fragment`and account_id = ${accountId}`}
      ${after === undefined ? fragment`` : fragment`and id > ${after}`}
    order by id
    limit ${limit} offset ${after === undefined ? offset : 0}`;
}

export function represent(links: Links, document: Document): Static<typeof DocumentSchema> {
  const { id, customerId, ownerId, type, status, reasons, evidence } = document;
  return {
    _links: {
      self: links.to('document', id),
      ...(ownerId === null ? { customer: links.to('customer', customerId) } : { owner: links.to('beneficial-owner', ownerId) }),
      reviews: links.link(`/documents/${id}/reviews`, 'review'),
    },
    id,
    status: status === 'pending' ? 'pending' : 'reviewed',
    type,
    created: document.created.toISOString(),
    documentVerificationStatus: status,
    ...(reasons?.[0] && { failureReason: reasons[0], allFailureReasons: reasons.map(describe) }),
    ...(evidence && { _embedded: { evidence } }),
  };
}

export function representList(links: Links, path: string, documents: Document[]): Static<typeof DocumentList> {
  return {
    _links: { self: links.link(path, 'document') },
    _embedded: { documents: documents.map((document) => represent(links, document)) },
    total: documents.length,
  };
}

/**
 * Begins a legal hold, unless it has begun before, or ends it where `since` is null. While it lasts, neither the retention period nor a
 * request erases the content.
 */
export async function holdDocument(tx: Sql, { bucket, id }: Pick<Document, 'bucket' | 'id'>, since: Date | null): Promise<void> {
  await tx`
    update document set held = case when ${since}::timestamptz is not null then coalesce(held, ${since}) end
    where bucket = ${bucket} and id = ${id}`;
}
