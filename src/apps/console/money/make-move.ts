// Makes a move that a person has confirmed, once per form, or asks a second person for it above the limit of the account.
import { randomUUID } from 'node:crypto';
import type { Resource } from '../../../core/ids.ts';
import { html } from '../../../platform/pages/html.ts';
import { notice } from '../../../platform/pages/parts.ts';
import { askForMove } from '../../../resources/change-requests/make-change.ts';
import type { Customer } from '../../../resources/customers/customer.ts';
import { carryOut, findMade } from '../../../resources/moves/carry-out.ts';
import { limitBelow } from '../../../resources/moves/limit.ts';
import { actOf, detailOf, type Move } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import type { Visit } from '../screen.ts';

/** `key`, `shown`: of requireFormKey; none if another id makes the move once. */
type Confirmed = { customer: Customer; move: Move; key?: string; shown?: string };

/** Returns the path of the page to show next: that of the request if it waits, or what `next` says about what was made. */
export async function makeMove(
  service: Service,
  visit: Visit,
  { customer, move, key = randomUUID(), shown }: Confirmed,
  next: (made: Resource) => string,
): Promise<string> {
  const { sql } = service.database;
  const { id, accountId } = customer;
  const isAbove = (await limitBelow(sql, accountId, move)) !== undefined;
  const before = isAbove ? await findMade(service, customer, { move, key }) : undefined;
  if (before) return next(before);
  if (isAbove) {
    return requestHref(await askForMove(service, actorOf(visit), { kind: 'move_money', customerId: id, move, key }));
  }
  const more: Record<string, string> = shown === undefined ? {} : { key: shown };
  const action = move.kind === 'capture' ? 'ask_for_plan' : 'ask_for_move';
  // Before the change, which a lane commits on its own: nothing moves without a row of who asked for it.
  await visit.audit({ action, resource: { type: 'customer', id }, detail: { ...detailOf(move), ...more } });
  const made = await carryOut(service, customer, { move, key });
  await visit.audit(actOf(move, made.id, more));
  return next(made);
}

/** What a confirmation says about a second person: a notice, and the verb of its button. */
export async function askingOf(
  { database }: Pick<Service, 'database'>,
  accountId: string,
  move: { amount: { value: string; currency: string } },
  verb: string,
) {
  const limit = await limitBelow(database.sql, accountId, move);
  if (limit === undefined) return { verb, asks: undefined };
  const text = `${amountText(limit, move.amount.currency)} ${move.amount.currency}`;
  return {
    verb: 'Ask a second person',
    asks: notice(html`<p>One person moves up to ${text}. This waits until a second person of finance approves it.</p>`, 'warn'),
  };
}
