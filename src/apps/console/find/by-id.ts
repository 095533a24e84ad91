// What has an id: looked up by primary keys only, each by the rights of the person.
import { parseLegId } from '../../../core/ids.ts';
import { findLedgerAccount } from '../../../ledger/transfers/ledger-account.ts';
import { findTransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { findAllocationRule } from '../../../resources/allocation-rules/allocation-rule.ts';
import { findMonitor } from '../../../resources/balance-monitors/monitor.ts';
import { findOwner } from '../../../resources/beneficial-owners/beneficial-owner.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { findDocument } from '../../../resources/documents/document.ts';
import { findHold } from '../../../resources/holds/hold.ts';
import { reportApplications } from '../../../resources/oauth/application.ts';
import { findOperator } from '../../../resources/operators/operator.ts';
import type { Permission } from '../../../resources/operators/role.ts';
import { findSchedule } from '../../../resources/schedules/schedule.ts';
import { findSubscription } from '../../../resources/webhooks/subscription.ts';
import { findWebhook } from '../../../resources/webhooks/webhook.ts';
import { holdHref } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { KINDS, ledgerHref, shownKind, sideName } from '../ledger/transfer-words.ts';
import { REVIEW } from '../review/address.ts';
import { TYPE_NAMES } from '../review/type-name.ts';
import type { Visit } from '../screen.ts';
import type { Hit } from './hit.ts';

type Look = { permission: Permission; find(sql: Sql, id: string): Promise<Hit | undefined> };

/** A planned thing is shown on the page of its customer. */
const planned =
  (title: string, find: (sql: Sql, id: string) => Promise<{ customerId: string } | undefined>): Look['find'] =>
  async (sql, id) => {
    const found = await find(sql, id);
    return found && { href: `/console/customers/${found.customerId}#planned`, title, note: 'On the page of its customer' };
  };

const LOOKS: Look[] = [
  { permission: 'readCustomers', find: customerOf },
  { permission: 'readMoney', find: accountOf },
  { permission: 'readMoney', find: transferOf },
  { permission: 'readMoney', find: holdOf },
  { permission: 'readMoney', find: planned('Schedule', findSchedule) },
  { permission: 'readMoney', find: planned('Allocation rule', findAllocationRule) },
  { permission: 'readMoney', find: planned('Monitor', findMonitor) },
  { permission: 'reviewDocuments', find: documentOf },
  { permission: 'readCustomers', find: ownerOf },
  { permission: 'manageWebhooks', find: subscriptionOf },
  { permission: 'manageWebhooks', find: webhookOf },
  { permission: 'managePeople', find: personOf },
  { permission: 'manageApplications', find: applicationOf },
];

/** Everything with this id that the person may see, of which there is one at most. */
export async function findById(sql: Sql, id: string, { may }: Pick<Visit, 'may'>): Promise<Hit[]> {
  const found = await Promise.all(LOOKS.filter(({ permission }) => may(permission)).map(({ find }) => find(sql, id)));
  return found.filter((hit) => hit !== undefined);
}

async function customerOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const customer = await findCustomer(sql, id);
  if (!customer) return undefined;
  const title = nameOf({ ...customer, businessName: customer.profile.businessName });
  return { href: `/console/customers/${id}`, title, note: `Customer, ${customer.status}` };
}

async function accountOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const account = await findLedgerAccount(sql, id);
  if (!account) return undefined;
  const customer = await customerOf(sql, account.customerId);
  return { href: ledgerHref(id), title: sideName(account), note: `Ledger in ${account.currency} of ${customer?.title}` };
}

async function holdOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const hold = await findHold(sql, id);
  if (!hold) return undefined;
  const { customerId, amount, currency, status } = hold;
  const title = `Hold of ${amountText(amount, currency)} ${currency}`;
  return { href: holdHref({ customerId, holdId: id }), title, note: `Hold, ${status}` };
}

async function transferOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const transfer = await findTransferDetail(sql, parseLegId(id)?.transferId ?? id);
  if (!transfer) return undefined;
  const { amount, currency } = transfer;
  const title = `${KINDS[shownKind(transfer)].name} of ${amountText(amount, currency)} ${currency}`;
  return { href: `/console/money/transfers/${transfer.id}`, title, note: transfer.reference ?? 'Transfer' };
}

async function documentOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const document = await findDocument(sql, id);
  const customer = document && (await customerOf(sql, document.customerId));
  return document && { href: `${REVIEW}/${id}`, title: TYPE_NAMES[document.type], note: `Document of ${customer?.title}` };
}

async function ownerOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const owner = await findOwner(sql, id);
  return (
    owner && { href: `/console/customers/owners/${id}`, title: `${owner.firstName} ${owner.lastName}`, note: 'Beneficial owner' }
  );
}

async function subscriptionOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const found = await findSubscription(sql, id);
  return found && { href: `/console/webhooks/${id}`, title: found.url, note: 'Webhook subscription' };
}

async function webhookOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const webhook = await findWebhook(sql, id);
  return webhook && { href: `/console/webhooks/deliveries/${id}`, title: webhook.topic, note: 'Webhook' };
}

async function personOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const person = await findOperator(sql, { id });
  return person && { href: `/console/people/${id}`, title: person.name, note: person.roles.join(', ') };
}

async function applicationOf(sql: Sql, id: string): Promise<Hit | undefined> {
  const [found] = await reportApplications(sql, { id });
  return found && { href: `/console/applications/${id}`, title: found.name, note: 'Application' };
}
