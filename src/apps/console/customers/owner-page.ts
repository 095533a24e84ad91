// The page of a beneficial owner: who it is, and the documents with their decisions.
import { isId } from '../../../core/ids.ts';
import { html } from '../../../platform/pages/html.ts';
import { badge, card, pageHeader } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findOwner } from '../../../resources/beneficial-owners/beneficial-owner.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { listDocuments } from '../../../resources/documents/document.ts';
import type { Service } from '../../service/service.ts';
import { auditHref } from '../audit-href.ts';
import { nameOf } from '../customer-name.ts';
import type { Pages } from '../screen.ts';
import { documentCard } from './document-table.ts';

export const OWNER_TONES = { verified: 'good', document: 'warn', incomplete: 'neutral' } as const;

export function addOwner(pages: Pages, { database: { sql } }: Service): void {
  pages.page('/console/customers/owners/:id', 'readCustomers', async ({ params, may, zone }) => {
    const owner = isId(params.id!) ? await findOwner(sql, params.id!) : undefined;
    if (!owner) return undefined;
    const { bucket, id, accountId, customerId, address, verificationStatus } = owner;
    const [customer, documents] = await Promise.all([
      findCustomer(sql, customerId),
      listDocuments(sql, { bucket, accountId, customerId, ownerId: id }),
    ]);
    const name = `${owner.firstName} ${owner.lastName}`;
    const business = customer ? nameOf({ ...customer, businessName: customer.profile.businessName }) : customerId;
    const { address1, address2, city, stateProvinceRegion, country } = address;
    return {
      title: name,
      main: html`${pageHeader({
        title: name,
        lead: html`${badge(verificationStatus, OWNER_TONES[verificationStatus])} beneficial owner of ${business}, since ${time(owner.created)}`,
        back: { href: `/console/customers/${customerId}`, label: business },
        actions: may('readAuditLog') && html`<a class="button" href=${auditHref({ about: id })}>Audit log</a>`,
      })}
      <div class="columns">
        ${card(
          { title: 'Details' },
          html`<dl class="facts">
            <dt>Id</dt>
            <dd class="mono">${id}</dd>
            ${may('readPersonalData') && html`<dt>Address</dt><dd>${[address1, address2, city, stateProvinceRegion, country].filter(Boolean).join(', ')}</dd>`}
          </dl>`,
        )}
        ${documentCard(documents, { mayReview: may('reviewDocuments'), whose: 'owner', name, zone })}
      </div>`,
    };
  });
}
