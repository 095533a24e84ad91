// What the page of a document shows, read at once; taking the document for the reviewer.
import { findAccount } from '../../../resources/accounts/account.ts';
import { findOwner } from '../../../resources/beneficial-owners/beneficial-owner.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { listResults } from '../../../resources/documents/checking/result.ts';
import { type Claim, claimDocument } from '../../../resources/documents/claim.ts';
import { type Document, listDocuments } from '../../../resources/documents/document.ts';
import { findPending } from '../../../resources/documents/pending-decision.ts';
import { findNext } from '../../../resources/documents/queue.ts';
import { findRecord } from '../../../resources/documents/record.ts';
import { isSameReviewer, listReviews, type Reviewer } from '../../../resources/documents/review.ts';
import { findOperator } from '../../../resources/operators/operator.ts';
import type { Service } from '../../service/service.ts';
import type { Visit } from '../screen.ts';
import { disagreementOf } from './disagreement.ts';

export type Shown = Awaited<ReturnType<typeof readDocument>>;

/** Takes the document for the person, if it waits and nobody else has taken it. */
export async function readDocument(service: Service, { person }: Visit, document: Document) {
  const { clock, sealer } = service;
  const { sql } = service.database;
  const now = clock.now();
  const isWaiting = document.status === 'pending' || document.opinionId !== null;
  const [record, owner, customer, account, results, reviews, documents, after, before] = await Promise.all([
    findRecord(sql, sealer, document),
    document.ownerId === null ? undefined : findOwner(sql, document.ownerId),
    findCustomer(sql, document.customerId),
    findAccount(sql, document.accountId),
    listResults(sql, sealer, document),
    listReviews(sql, document),
    listDocuments(sql, document),
    findNext(sql, { person: person.id, now }, { after: document.id }),
    findNext(sql, { person: person.id, now }, { before: document.id }),
  ]);
  const opinion = reviews.find(({ id }) => id === document.opinionId);
  const self: Reviewer = { kind: 'person', id: person.id, name: person.name, place: '' };
  const isSameOpinion = opinion !== undefined && (await isSameReviewer(sql, opinion.reviewer, self));
  const isOwnOpinion = isSameOpinion && opinion.reviewer.kind === 'person' && opinion.reviewer.id === person.id;
  const claim =
    isWaiting && !isSameOpinion
      ? await claimDocument(sql, document, { kind: 'person', id: person.id }, clock.now(document.accountId))
      : undefined;
  const isTaken = claim !== undefined && claim.by !== person.id;
  const pending = await findPending(sql, document);
  const disagreement = opinion ? undefined : disagreementOf(document, reviews, person.id);
  const isErased = document.copyKey === null;
  return {
    document,
    record,
    isOwnerRemoved: document.ownerId !== null && !owner,
    customer,
    accountName: account?.name ?? 'an unknown account',
    results,
    reviews,
    others: documents.filter(({ id }) => id !== document.id),
    opinion,
    isOwnOpinion,
    isSameOpinion,
    taken: isTaken ? await describeClaim(service, claim) : undefined,
    pending,
    disagreement,
    mayDecide: !isTaken && !isSameOpinion && !isErased && !pending,
    neighbours: { after: after?.id, before: before?.id },
  };
}

async function describeClaim(
  { database }: Pick<Service, 'database'>,
  { by, until }: Claim,
): Promise<{ name: string; until: Date }> {
  return { name: (await findOperator(database.sql, { id: by }))?.name ?? 'An application', until };
}
