// Holds made and released by people.
import { refuse } from '../../../core/problems.ts';
import { validatorOf } from '../../../platform/http/schemas.ts';
import { html } from '../../../platform/pages/html.ts';
import { time } from '../../../platform/pages/time.ts';
import { releaseHold } from '../../../resources/holds/capture.ts';
import { createHold } from '../../../resources/holds/create.ts';
import { findHold, type Hold, HoldRequest } from '../../../resources/holds/hold.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { endOfDay } from '../days.ts';
import { fundsText, labelField, otherChosen } from '../ledger/label-choice.ts';
import type { Pages } from '../screen.ts';
import type { Choice } from '../select.ts';
import { addCreating } from './creating.ts';
import { addEnding } from './ending.ts';
import { givenIn, input, type Owner, requireChosenLabel, requireTypedAmount, requireValid, textIn } from './plan-form.ts';

/** Of the available balance, before its currency. */
const AVAILABLE = 'available-';

const holdErrors = validatorOf(HoldRequest);

export function addHoldForms(pages: Pages, service: Service): void {
  addNewHold(pages, service);
  addEnding<Hold>(pages, service, {
    ...{ folder: 'holds', word: 'release', action: 'release_hold', type: 'hold', done: 'released', isNear: true },
    ...{ title: 'Release this hold?', verb: 'Release it' },
    find: (sql, id) => findHold(sql, id),
    effect: ({ amount, captured, currency }) =>
      html`${amountText(amount - captured, currency)} ${currency} can be spent again. A released hold cannot be captured.`,
    factsOf: ({ reference, expires }) => [
      ['Reference', reference ?? 'none'],
      ['Expires', time(expires)],
    ],
    end: async (tx, { accountId, id }, now) => (await releaseHold(tx, { accountId }, id, now)).id,
  });
}

function addNewHold(pages: Pages, service: Service): void {
  addCreating(pages, service, {
    ...{ folder: 'holds', action: 'create_hold', type: 'hold', done: 'held' },
    // It locks the ledger account, so the whole transaction runs where the customer is.
    isNear: true,
    ...{ title: 'Hold money', verb: 'Hold it' },
    lead: 'Keeps money from being spent until it is captured or released, or the hold expires. Nothing moves.',
    missing: (owner) =>
      owner.offered.total + owner.balances.length === 0 ? 'There is no money to hold before the first deposit.' : undefined,
    fields: (owner, { query, zone }) =>
      html`${labelField({ id: 'of', label: 'Of' }, owner.offered, { others: available(owner), chosen: query.get('of') ?? undefined })}
      ${input({ id: 'amount', label: 'Amount', hint: 'In the currency of what it is held of. At most what is available.', isRequired: true }, true)}
      ${input({ id: 'until', label: `Last day (${zone})`, hint: 'The hold expires after this day, at most 400 days ahead. Seven days without it.', type: 'date' })}
      ${input({ id: 'reference', label: 'Reference', hint: 'Optional. Captures have it too, on statements.' })}
      ${input({ id: 'externalId', label: 'External id', hint: 'Optional. No two holds of the customer have the same.' })}`,
    read: (owner, form, { zone }) => ({ request: readHold(service, { owner, zone }, form) }),
    create: (tx, { customer }, { request }, now) => createHold({ tx, links: service.links }, customer, request, now),
  });
}

/** The available money of each currency. */
function available({ balances }: Owner): Choice[] {
  return balances.map((balance) => ({
    value: `${AVAILABLE}${balance.currency}`,
    name: `Available ${balance.currency}`,
    text: `Available (${fundsText(balance, balance.currency)})`,
  }));
}

type Given = { owner: Owner; zone: string };

function readHold({ links }: Pick<Service, 'links'>, { owner, zone }: Given, form: URLSearchParams): HoldRequest {
  const of = textIn(form, 'of');
  const other = otherChosen(available(owner), of);
  const balance = owner.balances.find(({ currency }) => other === AVAILABLE + currency);
  const label = balance ? undefined : requireChosenLabel(owner, of, 'what to hold money of');
  const { currency } = (balance ?? label)!;
  const until = textIn(form, 'until');
  const expires = endOfDay(until, zone);
  if (until !== '' && !expires) throw refuse('badRequest', { message: 'The last day is a day such as 2026-01-31.' });
  const request: HoldRequest = {
    ...(label && { _links: { from: { href: links.to('label', label.id).href } } }),
    amount: requireTypedAmount(textIn(form, 'amount'), currency),
    ...(expires && { expires: expires.toISOString() }),
    ...givenIn(form, 'reference', 'externalId'),
  };
  requireValid(holdErrors, request);
  return request;
}
