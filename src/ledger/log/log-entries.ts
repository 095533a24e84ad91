// Makes the entries of transparency logs from events and from the rows that they report.

import { canonicalize, commit, writeTexts } from '../../../packages/proof/src/commitment.ts';
import type { Entry } from '../../../packages/proof/src/entry.ts';
import { topics } from '../../apps/service/resources.ts';
import { formatMinorUnits } from '../../core/money/money.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { TopicManifest } from '../../platform/manifest.ts';
import { findMoney, type MovedMoney } from '../transfers/transfer.ts';
import { type Detailed, findCustomerDetails, findLabelDetails, findSalts } from './logged-details.ts';

/** `details` and the head of the audit log: of an entry that exists already. */
type LoggedEvent = Pick<Entry, 'id' | 'topic' | 'resourceId' | 'created' | 'customer' | 'details' | 'auditEntries' | 'auditHash'>;

/** An entry with the rows that it was made from. `isErased`: the salt of its details was erased, so it lacks them. */
export type Logged = { entry: Entry; money: MovedMoney | undefined; detailed: Detailed | undefined; isErased: boolean };

const facts = Object.entries<TopicManifest>(topics);
/** The topics of events that report money. */
const moving = new Set(facts.flatMap(([topic, { transfers }]) => (transfers ? topic : [])));
const aboutLabels = new Set(facts.flatMap(([topic, { resource }]) => (resource === 'label' ? topic : [])));
const aboutCustomers = new Set(facts.flatMap(([topic, { resource }]) => (resource === 'customer' ? topic : [])));

/** The id of the transfer whose money an event reports, or undefined. An entry's id is that of its transfer with another last digit. */
export function transferOf({ topic, resourceId }: Pick<Entry, 'topic' | 'resourceId'>): string | undefined {
  return moving.has(topic) ? `${resourceId.slice(0, -1)}0` : undefined;
}

/** Reads what the entries of events need. Returns a function that makes the entry of one of them. */
export async function openEntries<Event extends LoggedEvent>(
  sql: Sql,
  events: Event[],
): Promise<(event: Event, index: number) => Logged> {
  const transferIds = events.map(transferOf);
  const moved = await findMoney(sql, transferIds);
  const idsOf = (about: Set<string>) => [
    ...new Set(events.flatMap(({ topic, resourceId }) => (about.has(topic) ? resourceId : []))),
  ];
  const detailed = new Map([
    ...(await findLabelDetails(sql, idsOf(aboutLabels))),
    ...(await findCustomerDetails(sql, idsOf(aboutCustomers))),
  ]);
  const salted = new Set([...detailed.values()].map(({ customerId }) => customerId));
  for (const [index, { customer, details }] of events.entries())
    if (customer !== undefined && (details !== undefined || moved[index]?.more)) salted.add(customer);
  const salts = await findSalts(sql, [...salted]);
  return (event, index) => {
    const transferId = transferIds[index];
    const money = moved[index];
    const found = transferId === undefined ? detailed.get(event.resourceId) : undefined;
    const entry = money ? moneyEntryOf(event, money) : plainEntryOf(event);
    const details = money?.more ? writeTexts(transferId!, money.more) : found && canonicalize(found.details);
    if (details === undefined && event.details === undefined) return { entry, money, detailed: found, isErased: false };
    const salt = salts.get(found?.customerId ?? event.customer ?? '');
    if (details !== undefined && salt !== undefined) entry.details = commit(salt, details);
    return { entry, money, detailed: found, isErased: salt === undefined };
  };
}

function plainEntryOf({ id, topic, created, resourceId, customer, auditEntries, auditHash }: LoggedEvent): Entry {
  return { auditEntries, auditHash, id, topic, created, resourceId, customer };
}

/** In one object with all members: the builder makes one for each transfer. */
function moneyEntryOf({ id, topic, created, resourceId, customer }: LoggedEvent, moved: MovedMoney): Entry {
  const { currency, more } = moved;
  return {
    amount: formatMinorUnits(moved.amount, currency),
    created,
    currency,
    customer,
    deposit: more?.depositId,
    details: undefined,
    from: moved.fromId,
    fromBalance: formatMinorUnits(moved.fromBalance, currency),
    fromSequence: moved.fromSequence,
    id,
    resourceId,
    reverses: more?.reverses,
    rule: more?.ruleId,
    to: moved.toId,
    toBalance: formatMinorUnits(moved.toBalance, currency),
    toSequence: moved.toSequence,
    topic,
  };
}
