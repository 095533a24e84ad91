// The page of one customer: balances, labels, activity, owners and documents.
import { isId } from '../../../core/ids.ts';
import { findBalances } from '../../../ledger/transfers/balance.ts';
import { KINDS, listTransfers, type TransferFilter } from '../../../ledger/transfers/transfer-list.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, pageHeader, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findAccount } from '../../../resources/accounts/account.ts';
import { listOwners } from '../../../resources/beneficial-owners/beneficial-owner.ts';
import { findOwnership } from '../../../resources/beneficial-owners/certification.ts';
import { type Customer, findCustomer, legalStatusChanges, type StatusChange } from '../../../resources/customers/customer.ts';
import { listDocuments } from '../../../resources/documents/document.ts';
import { listLabels, withHeld } from '../../../resources/labels/label.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS as HREF } from '../addresses.ts';
import { auditHref } from '../audit-href.ts';
import { nameOf, statusBadge } from '../customer-name.ts';
import { describeTransfers } from '../ledger/transfer-table.ts';
import { plannedCards } from '../planned/planned-cards.ts';
import type { Pages, Visit } from '../screen.ts';
import { activityCard, balanceCards, labelCard, reallocationCard } from './customer-money.ts';
import { documentCard } from './document-table.ts';
import { OWNER_TONES } from './owner-page.ts';
import { statementCard } from './statements.ts';

/** Labels that are read for the shares of the bar. */
const LABELS_MAX = 100;
const TRANSFERS_MAX = 10;
const ANY_TIME = { from: undefined, before: undefined };
const ACTIONS: Record<StatusChange, { path: string; label: string }> = {
  suspended: { path: 'suspend', label: 'Suspend' },
  deactivated: { path: 'deactivate', label: 'Deactivate' },
  reactivated: { path: 'reactivate', label: 'Reactivate' },
};

export function addCustomer(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id`, 'readCustomers', async (visit) => {
    const id = visit.params.id!;
    const customer = isId(id) ? await findCustomer(service.database.sql, id) : undefined;
    if (!customer) return undefined;
    const parts = await readParts(service, customer, visit.may('readMoney') ? KINDS : ['reallocation']);
    const name = nameOf({ ...customer, businessName: customer.profile.businessName });
    return {
      title: name,
      main: html`${pageHeader({
        title: name,
        lead: html`${statusBadge(customer.status)} ${customer.type} customer of ${parts.account?.name}, since ${time(customer.created)}`,
        back: { href: HREF, label: 'Customers' },
        actions: html`${visit.may('readMoney') && html`<a class="button" href=${`${HREF}/${id}/ledger`}>Ledger</a>`}
          ${visit.may('moveMoney') && html`<a class="button" href=${`/console/money/move?customer=${id}`}>Move money</a>`}
          ${visit.may('readAuditLog') && html`<a class="button" href=${auditHref({ about: id })}>Audit log</a>`}
          ${visit.may('changeCustomers') && changeLinks(customer)}`,
      })}
      ${balanceCards(parts.balances)}
      <div class="columns columns-wide">
        <div>${labelCard(parts.labels, { href: `${HREF}/${id}/labels`, mayOpen: visit.may('readMoney'), mayMake: visit.may('moveMoney') && customer.status === 'verified' })}
          ${visit.may('readMoney') ? activityCard(await describeTransfers(service.database.sql, parts.transfers, { withCustomers: false }), `${HREF}/${id}/ledger`) : reallocationCard(parts.transfers, parts.labels.elements)}
          ${visit.may('readMoney') && (await plannedCards(service.database.sql, customer, { now: service.clock.now(customer.accountId), mayMove: visit.may('moveMoney') }))}</div>
        <div>${detailCard(visit, customer)} ${customer.type === 'business' && ownerCard(parts)} ${documentCard(parts.documents, { mayReview: visit.may('reviewDocuments'), whose: 'customer', name, zone: visit.zone })}
          ${visit.may('readStatements') && statementCard(customer, service.clock.now(customer.accountId))}</div>
      </div>`,
    };
  });
}

type Parts = Awaited<ReturnType<typeof readParts>>;

async function readParts(
  { database: { sql }, clock }: Pick<Service, 'database' | 'clock'>,
  customer: Customer,
  kinds: TransferFilter['kinds'],
) {
  const { id, bucket, accountId } = customer;
  const [account, balances, labels, transfers, owners, ownership, documents] = await Promise.all([
    findAccount(sql, accountId),
    findBalances(sql, id, clock.now(accountId)),
    listLabels(sql, id, { limit: LABELS_MAX, offset: 0 }).then(async ({ elements, total }) => ({
      elements: await withHeld(sql, elements, clock.now(accountId)),
      total,
    })),
    listTransfers(sql, customer, { kinds, ...ANY_TIME }, { limit: TRANSFERS_MAX, offset: 0, after: undefined }),
    listOwners(sql, id),
    findOwnership(sql, id),
    listDocuments(sql, { bucket, accountId, customerId: id, ownerId: null }),
  ]);
  return { account, balances, labels, transfers: transfers.slice(0, TRANSFERS_MAX), owners, ownership, documents };
}

function changeLinks(customer: Customer): Html {
  return legalStatusChanges(customer).map((change) => {
    const { path, label } = ACTIONS[change];
    return html`<a class="button" href=${`${HREF}/${customer.id}/${path}`}>${label}</a>`;
  });
}

function detailCard({ may }: Visit, { id, firstName, lastName, email, correlationId, profile }: Customer): Html {
  const { address1, address2, city, state, postalCode, phone, website, businessType, businessClassification } = profile;
  const facts: [string, string | null | undefined][] = [
    ['Name', `${firstName} ${lastName}`],
    ['Business type', businessType],
    ['Classification', businessClassification],
    ...(may('readPersonalData')
      ? ([
          ['E-mail', email],
          ['Phone', phone],
          ['Address', [address1, address2, city, state, postalCode].filter(Boolean).join(', ')],
          ['Website', website],
        ] as [string, string | undefined][])
      : []),
    ['Correlation id', correlationId],
  ];
  return card(
    { title: 'Details' },
    html`<dl class="facts">
      <dt>Id</dt>
      <dd class="mono">${id}</dd>
      ${facts.filter(([, value]) => value).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
    </dl>`,
  );
}

function ownerCard({ owners, ownership }: Parts): Html {
  const rows = owners.map(({ id, firstName, lastName, verificationStatus: status }) => [
    html`<a href=${`${HREF}/owners/${id}`}>${firstName} ${lastName}</a>`,
    badge(status, OWNER_TONES[status]),
  ]);
  return card(
    { title: 'Beneficial owners', actions: badge(ownership, ownership === 'certified' ? 'good' : 'warn'), isBare: true },
    rows.length > 0
      ? table({ caption: 'Beneficial owners', columns: [{ label: 'Owner' }, { label: 'Status' }], rows })
      : emptyState({
          icon: 'users',
          title: 'No owners',
          text: 'The application of the account names the owners of a business; they appear here.',
        }),
  );
}
