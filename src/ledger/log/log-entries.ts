// Makes the entries of transparency logs from events and from the rows that they report.
import { canonicalize, commit, writeTexts } from '../../../packages/proof/src/commitment.ts';
import type { Entry } from '../../../packages/proof/src/entry.ts';
import { transferIdOf, transferKindOf } from '../../../packages/proof/src/kinds.ts';
import { LABEL_TOPICS } from '../../../packages/proof/src/replay.ts';
import { formatMinorUnits } from '../../core/money/money.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findMoney, type MovedMoney } from '../transfers/transfer.ts';
import { type Detailed, findCustomerDetails, findLabelDetails, findSalts } from './logged-details.ts';

/** `details` and the head of the audit log: of an entry that exists already. */
type LoggedEvent = Pick<Entry, 'id' | 'topic' | 'resourceId' | 'created' | 'customer' | 'details' | 'auditEntries' | 'auditHash'>;

/** An entry with the rows that it was made from. `isErased`: the salt of its details was erased, so it lacks them. */
export type Logged = { entry: Entry; money: MovedMoney | undefined; detailed: Detailed | undefined; isErased: boolean };

/** The id of the transfer whose money an event reports, or undefined. */
export function transferOf(event: Pick<Entry, 'topic' | 'resourceId'>): string | undefined {
  return transferKindOf(event) && transferIdOf(event);
}

/** Reads what the entries of events need. Returns a function that makes the entry of one of them. */
export async function openEntries<Event extends LoggedEvent>(
  sql: Sql,
  events: Event[],
): Promise<(event: Event, index: number) => Logged> {
  const transferIds = events.map(transferOf);
  const moved = await findMoney(sql, transferIds);
  const idsOf = (isAbout: (event: Event) => boolean) => [...new Set(events.filter(isAbout).map(({ resourceId }) => resourceId))];
  const detailed = new Map([
    ...(await findLabelDetails(
      sql,
      idsOf(({ topic }) => LABEL_TOPICS.includes(topic)),
    )),
    ...(await findCustomerDetails(
      sql,
      idsOf(({ customer, resourceId }) => customer === resourceId),
    )),
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
    return: more?.returnId,
    reverses: more?.reverses,
    rule: more?.ruleId,
    to: moved.toId,
    toBalance: formatMinorUnits(moved.toBalance, currency),
    toSequence: moved.toSequence,
    topic,
  };
}
