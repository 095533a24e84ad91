// An identity document: a picture submitted for a beneficial owner, or for a customer of its own, and what became of it.
import Type, { type Static } from 'typebox';
import type { Sql } from '../db/sql.ts';
import { LinkSchema, type Links, linkWhen } from '../http/links.ts';
import { IdSchema } from '../http/paging.ts';
import { bucketOf } from '../ids.ts';
import { refuse } from '../problems.ts';
import { type DocumentType, describe, type Reason } from './reason.ts';
import { DocumentTypeSchema, ReasonSchema } from './reason-schema.ts';
import type { StoreName } from './store/store.ts';

export type DocumentStatus = 'pending' | 'accepted' | 'rejected';
export type Purpose = 'original' | 'copy';

/** Whose a document is: a beneficial owner's, or the customer's own. */
export type Subject = { bucket: number; accountId: string; customerId: string; ownerId: string | null };

export type Document = Subject & {
  id: string;
  type: DocumentType;
  status: DocumentStatus;
  /** In order; null unless rejected. */
  reasons: Reason[] | null;
  /** Of the clean copy. */
  mediaType: 'image/jpeg' | 'application/pdf';
  store: StoreName;
  /** Null once the content is erased. */
  copyKey: Buffer | null;
  created: Date;
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
  },
  { title: 'Document', description: 'failureReason and allFailureReasons are present only if the document was rejected.' },
);

/** Not paged: an owner has few. */
export const DocumentList = Type.Object(
  {
    _links: Type.Object({ self: LinkSchema }),
    _embedded: Type.Object({ documents: Type.Array(DocumentSchema) }),
    total: Type.Integer({ minimum: 0 }),
  },
  { title: 'DocumentList' },
);

export async function findDocument(sql: Sql, id: string): Promise<Document | undefined> {
  const [document] = await sql<Document>`
    select bucket, id, account_id as "accountId", customer_id as "customerId", owner_id as "ownerId", type, status, reasons,
      media_type as "mediaType", store, copy_key as "copyKey", created
    from document
    where bucket = ${bucketOf(id)} and id = ${id}`;
  return document;
}

/** A document that the caller may see: else 404, or 403 for another account's. */
export async function requireDocument(sql: Sql, caller: { accountId: string }, id: string): Promise<Document> {
  const document = await findDocument(sql, id);
  if (!document) throw refuse('notFound');
  if (document.accountId !== caller.accountId) throw refuse('forbidden');
  return document;
}

/** The documents of an owner, or a customer's own, newest first. */
export async function listDocuments(sql: Sql, { bucket, customerId, ownerId }: Subject): Promise<Document[]> {
  if (ownerId === null) {
    return sql<Document>`
      select bucket, id, account_id as "accountId", customer_id as "customerId", owner_id as "ownerId", type, status, reasons,
        media_type as "mediaType", store, copy_key as "copyKey", created
      from document
      where bucket = ${bucket} and customer_id = ${customerId} and owner_id is null
      order by id desc`;
  }
  return sql<Document>`
    select bucket, id, account_id as "accountId", customer_id as "customerId", owner_id as "ownerId", type, status, reasons,
      media_type as "mediaType", store, copy_key as "copyKey", created
    from document
    where bucket = ${bucket} and owner_id = ${ownerId}
    order by id desc`;
}

/** Documents of every account that wait for a decision, oldest first. */
export async function listPending(sql: Sql, limit: number): Promise<Document[]> {
  return sql<Document>`
    select bucket, id, account_id as "accountId", customer_id as "customerId", owner_id as "ownerId", type, status, reasons,
      media_type as "mediaType", store, copy_key as "copyKey", created
    from document
    where status = 'pending'
    order by id
    limit ${limit}`;
}

/** What a content is sealed to: the account, the document, and which of the two it is. */
export function contentContext({ accountId, id }: { accountId: string; id: string }, purpose: Purpose): string {
  return `document:${accountId}:${id}:${purpose}`;
}

export function represent(links: Links, document: Document): Static<typeof DocumentSchema> {
  const { id, customerId, ownerId, type, status, reasons } = document;
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
  };
}

export function representList(links: Links, path: string, documents: Document[]): Static<typeof DocumentList> {
  return {
    _links: { self: links.link(path, 'document') },
    _embedded: { documents: documents.map((document) => represent(links, document)) },
    total: documents.length,
  };
}
