// What an id of the audit log is about: a customer or an owner with all documents, a document, or one thing alone.
import type { Sql } from '../../../platform/db/sql.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { findOwner, listOwners } from '../../../resources/beneficial-owners/beneficial-owner.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { findDocument, listDocuments } from '../../../resources/documents/document.ts';
import { nameOf } from '../customer-name.ts';
import { REVIEW } from '../review/address.ts';
import { TYPE_NAMES } from '../review/type-name.ts';

type Subject = { ids: string[]; title: Html };

export async function findSubject(sql: Sql, id: string): Promise<Subject> {
  const [customer, owner, document] = await Promise.all([findCustomer(sql, id), findOwner(sql, id), findDocument(sql, id)]);
  if (customer) {
    const owners = await listOwners(sql, id);
    const whose = [null, ...owners.map((one) => one.id)];
    const documents = await Promise.all(whose.map((ownerId) => listDocuments(sql, { ...customer, customerId: id, ownerId })));
    return {
      ids: [id, ...owners.map((one) => one.id), ...documents.flat().map((one) => one.id)],
      title: html`<a href=${`/console/customers/${id}`}>${nameOf({ ...customer, businessName: customer.profile.businessName })}</a>, with
        owners and documents`,
    };
  }
  if (owner) {
    const documents = await listDocuments(sql, { ...owner, ownerId: id });
    return {
      ids: [id, ...documents.map((one) => one.id)],
      title: html`<a href=${`/console/customers/owners/${id}`}>${owner.firstName} ${owner.lastName}</a>, with documents`,
    };
  }
  return {
    ids: [id],
    title: document
      ? html`<a href=${`${REVIEW}/${id}`}>${TYPE_NAMES[document.type]}</a> <span class="mono small">${id}</span>`
      : html`<span class="mono small">${id}</span>`,
  };
}
