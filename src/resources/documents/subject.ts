// Subjects of documents: find and lock the owner or customer of a document, and verify it when a document is accepted.
import { refuse } from '../../core/problems.ts';
import { writeEvent } from '../../ledger/feed/event.ts';
import { freezeCustomer } from '../../ledger/transfers/balance.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { lockOwner, requireOwner, setOwnerStatus } from '../beneficial-owners/beneficial-owner.ts';
import { type CustomerStatus, findCustomer, isClosed, lockCustomer, requireCustomer } from '../customers/customer.ts';
import { type Document, findDocument, listDocuments, type Subject } from './document.ts';

export type Person = { firstName: string; lastName: string };
export type SubjectKind = 'owner' | 'customer';
export type SubjectId = { kind: SubjectKind; id: string };
type CustomerChange = { from: CustomerStatus; to: CustomerStatus; topic: string };

const VERIFIED: CustomerChange = { from: 'document', to: 'verified', topic: 'customer_verified' };
const WITHDRAWN: CustomerChange = { from: 'verified', to: 'document', topic: 'customer_verification_document_needed' };

type DocumentEvent = 'uploaded' | 'approved' | 'failed';

/** Returns an owner or customer of the caller's account as a subject. Refuses as requireOwned does. */
export async function requireSubject(sql: Sql, caller: { accountId: string }, { kind, id }: SubjectId): Promise<Subject> {
  if (kind === 'owner') {
    const { bucket, accountId, customerId } = await requireOwner(sql, caller, id);
    return { bucket, accountId, customerId, ownerId: id };
  }
  const { bucket, accountId } = await requireCustomer(sql, caller, id);
  return { bucket, accountId, customerId: id, ownerId: null };
}

/** Locks a subject until the end of the transaction. Refuses with InvalidResourceState when it does not need a document. */
export async function lockSubjectNeedingDocument(tx: Sql, subject: Subject): Promise<void> {
  const { customer, owner } = await lockSubject(tx, subject);
  if (!customer || (subject.ownerId !== null && !owner)) throw refuse('notFound');
  if (isClosed(customer)) throw refuse('customerClosed');
  if ((owner?.verificationStatus ?? customer.status) !== 'document') throw refuse('needsNoDocument');
}

/** Locks a subject until the end of the transaction: the customer's row first, then the owner's. A removed owner is undefined. */
export async function lockSubject(tx: Sql, { customerId, ownerId }: Subject) {
  await lockCustomer(tx, customerId);
  const owner = ownerId === null ? undefined : await lockOwner(tx, ownerId);
  return { customer: await findCustomer(tx, customerId), owner };
}

/**
 * Locks the subject of a document, as reviews and erasures do: what is returned stays true until the end of the transaction. Undefined
 * once the content is erased.
 */
export async function lockContent(tx: Sql, document: Subject & Pick<Document, 'id'>): Promise<Document | undefined> {
  await lockSubject(tx, document);
  const locked = await findDocument(tx, document.id);
  return locked && locked.copyKey !== null ? locked : undefined;
}

/** Marks a locked subject that still needs a document as verified, and writes the event. A removed owner is left alone. */
export async function verifySubject(tx: Sql, subject: Subject, now: Date): Promise<void> {
  if (subject.ownerId === null) return changeCustomer(tx, subject, VERIFIED, now);
  const owner = await lockOwner(tx, subject.ownerId);
  if (owner?.verificationStatus !== 'document') return;
  await setOwnerStatus(tx, owner, 'verified', now);
  await writeEvent(tx, { ...subject, topic: 'customer_beneficial_owner_verified', resourceId: owner.id }, now);
}

/**
 * Undoes the verification of a locked subject when its last accepted document is rejected: it needs a document again, and the money of
 * a customer is frozen. A removed owner, and a subject that is not verified, are left alone.
 */
export async function withdrawSubject(tx: Sql, subject: Subject, now: Date): Promise<void> {
  if ((await listDocuments(tx, subject)).some(({ status }) => status === 'accepted')) return;
  if (subject.ownerId === null) return changeCustomer(tx, subject, WITHDRAWN, now);
  const owner = await lockOwner(tx, subject.ownerId);
  if (owner?.verificationStatus !== 'verified') return;
  await setOwnerStatus(tx, owner, 'document', now);
  const topic = 'customer_beneficial_owner_verification_document_needed';
  await writeEvent(tx, { ...subject, topic, resourceId: owner.id }, now);
}

export async function findPerson(sql: Sql, { bucket, customerId, ownerId }: Subject): Promise<Person | undefined> {
  const ofSubject =
    ownerId === null ? fragment`customer where id = ${customerId}` : fragment`beneficial_owner where id = ${ownerId}`;
  const [person] = await sql<Person>`select first_name, last_name from ${ofSubject} and bucket = ${bucket}`;
  return person;
}

/** Writes the event of a document. */
export async function writeDocumentEvent(
  tx: Sql,
  subject: Subject,
  documentId: string,
  event: DocumentEvent,
  now: Date,
): Promise<void> {
  const prefix = subject.ownerId === null ? 'customer' : 'customer_beneficial_owner';
  const topic = `${prefix}_verification_document_${event}`;
  await writeEvent(tx, { ...subject, topic, resourceId: documentId }, now);
}

/** A customer that is suspended or deactivated changes on its reactivation; its money stays frozen until then. */
async function changeCustomer(tx: Sql, subject: Subject, { from, to, topic }: CustomerChange, now: Date): Promise<void> {
  const { bucket, customerId } = subject;
  const closed = await tx`
    update customer set status_before = ${to}
    where bucket = ${bucket} and id = ${customerId} and status_before = ${from}
    returning id`;
  if (closed.length > 0) await writeEvent(tx, { ...subject, topic: 'customer_updated', resourceId: customerId }, now);
  const changed = await tx`
    update customer set status = ${to}
    where bucket = ${bucket} and id = ${customerId} and status = ${from}
    returning id`;
  if (changed.length === 0) return;
  await freezeCustomer(tx, customerId, to !== 'verified');
  await writeEvent(tx, { ...subject, topic, resourceId: customerId }, now);
}
