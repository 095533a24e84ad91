// Whose a document is: held while documents come or are decided, and verified by an accepted one.
import { lockOwner, requireOwner, setOwnerStatus } from '../beneficial-owners/beneficial-owner.ts';
import { findCustomer, isClosed, requireCustomer } from '../customers/customer.ts';
import type { Sql } from '../db/sql.ts';
import { type Topic, writeEvent } from '../events/event.ts';
import { freezeCustomer } from '../ledger/balance.ts';
import { refuse } from '../problems.ts';
import type { Subject } from './document.ts';

export type Person = { firstName: string; lastName: string };
export type SubjectKind = 'owner' | 'customer';
type Happening = 'uploaded' | 'approved' | 'failed';

/** The owner or customer that the caller may see, as the subject of documents: else 404, or 403 for another account's. */
export async function requireSubject(
  sql: Sql,
  caller: { accountId: string },
  { kind, id }: { kind: SubjectKind; id: string },
): Promise<Subject> {
  if (kind === 'owner') {
    const { bucket, accountId, customerId } = await requireOwner(sql, caller, id);
    return { bucket, accountId, customerId, ownerId: id };
  }
  const { bucket, accountId } = await requireCustomer(sql, caller, id);
  return { bucket, accountId, customerId: id, ownerId: null };
}

/** Holds a subject that needs a document to the end of the transaction. InvalidResourceState when it needs none now. */
export async function holdNeedy(tx: Sql, subject: Subject): Promise<void> {
  const { customer, owner } = await holdSubject(tx, subject);
  if (!customer || (subject.ownerId !== null && !owner)) throw refuse('notFound');
  if (isClosed(customer)) throw refuse('customerClosed');
  if ((owner?.verificationStatus ?? customer.status) !== 'document') throw refuse('needsNoDocument');
}

/** Holds a subject to the end of the transaction: always the customer's row before the owner's. A removed owner is missing. */
export async function holdSubject(tx: Sql, { bucket, customerId, ownerId }: Subject) {
  await tx`select 1 from customer where bucket = ${bucket} and id = ${customerId} for update`;
  const owner = ownerId === null ? undefined : await lockOwner(tx, ownerId);
  return { customer: await findCustomer(tx, customerId), owner };
}

/** Makes a subject that is held, and still needs a document, verified, and tells it in an event. A removed owner stays removed. */
export async function verifySubject(tx: Sql, subject: Subject, now: Date): Promise<void> {
  if (subject.ownerId === null) return verifyCustomer(tx, subject, now);
  const owner = await lockOwner(tx, subject.ownerId);
  if (owner?.verificationStatus !== 'document') return;
  await setOwnerStatus(tx, owner, 'verified', now);
  await writeEvent(tx, { ...subject, topic: 'customer_beneficial_owner_verified', resourceId: owner.id }, now);
}

export async function findPerson(sql: Sql, { bucket, customerId, ownerId }: Subject): Promise<Person | undefined> {
  const [person] =
    ownerId === null
      ? await sql<Person>`
          select first_name as "firstName", last_name as "lastName" from customer
          where bucket = ${bucket} and id = ${customerId}`
      : await sql<Person>`
          select first_name as "firstName", last_name as "lastName" from beneficial_owner
          where bucket = ${bucket} and id = ${ownerId}`;
  return person;
}

/** Writes the event that tells what happened to a document. */
export async function tell(tx: Sql, subject: Subject, documentId: string, happening: Happening, now: Date): Promise<void> {
  const whose = subject.ownerId === null ? 'customer' : 'customer_beneficial_owner';
  const topic: Topic = `${whose}_verification_document_${happening}`;
  await writeEvent(tx, { ...subject, topic, resourceId: documentId }, now);
}

/** One that was suspended or deactivated meanwhile comes back as verified when it is reactivated; until then its money stays. */
async function verifyCustomer(tx: Sql, subject: Subject, now: Date): Promise<void> {
  const { bucket, customerId } = subject;
  await tx`
    update customer set status_before = 'verified'
    where bucket = ${bucket} and id = ${customerId} and status_before = 'document'`;
  const verified = await tx`
    update customer set status = 'verified'
    where bucket = ${bucket} and id = ${customerId} and status = 'document'
    returning id`;
  if (verified.length === 0) return;
  await freezeCustomer(tx, customerId, false);
  await writeEvent(tx, { ...subject, topic: 'customer_verified', resourceId: customerId }, now);
}
