// Captures a hold: a form, a confirmation with the balances afterwards, and the capture.
import { isId } from '../../../core/ids.ts';
import { formatAmount } from '../../../core/money/money.ts';
import { Refusal, refuse } from '../../../core/problems.ts';
import { findLedgerAccount, type LedgerAccount } from '../../../ledger/transfers/ledger-account.ts';
import { validatorOf } from '../../../platform/http/schemas.ts';
import { html } from '../../../platform/pages/html.ts';
import { badge, notice, pageHeader } from '../../../platform/pages/parts.ts';
import { CaptureRequest, findHold, type Hold } from '../../../resources/holds/hold.ts';
import type { Label } from '../../../resources/labels/label.ts';
import type { MoveOf } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import { amountText, readTypedAmount } from '../amount.ts';
import { keyOf, requireFormKey } from '../form-key.ts';
import { labelField, otherChosen } from '../ledger/label-choice.ts';
import { sideName } from '../ledger/transfer-words.ts';
import { askingOf, makeMove } from '../money/make-move.ts';
import { balancesAfterwards, sendingForm } from '../money/move-form.ts';
import type { Content, Pages } from '../screen.ts';
import { type Choice, select } from '../select.ts';
import {
  findOwner,
  formPage,
  givenIn,
  input,
  type Owner,
  requireChosenLabel,
  requireTypedAmount,
  requireValid,
  textIn,
} from './plan-form.ts';

/** The other choice than a label. */
const OUTSIDE: Choice = { value: 'outside', text: 'Outside, at the bank' };
const FIELDS = ['to', 'amount', 'rest', 'reference'] as const;
const RELEASED = 'release';
const SHORT_REASON = 'Say in the reference why money leaves. It stands on statements.';

const captureErrors = validatorOf(CaptureRequest);

/** A hold, and what it holds money of. */
type Held = { owner: Owner; hold: Hold; of: LedgerAccount };

export function addCapture(pages: Pages, service: Service): void {
  const path = `${CUSTOMERS}/:id/holds/:part/capture`;
  pages.page(path, 'moveMoney', async ({ params, query }) => {
    const held = await findHeld(service, params, query);
    if (!held || !isPending(held.hold, service.clock.now(held.hold.accountId))) return undefined;
    if (!query.has('amount') || query.has('edit')) return captureForm(held, query);
    try {
      return await confirmation(service, held, query);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return captureForm(held, query, error.message);
    }
  });
  pages.action(
    path,
    'moveMoney',
    async (visit, form) => {
      const held = await findHeld(service, visit.params, form);
      if (!held) throw refuse('notFound');
      const { customer, now } = held.owner;
      const { move } = readCapture(held, form);
      const next = `${CUSTOMERS}/${customer.id}?done=captured#planned`;
      return makeMove(service, visit, { customer, move, ...requireFormKey(form, now) }, () => next);
    },
    { from: path },
  );
}

function isPending({ status, expires }: Hold, now: Date): boolean {
  return status === 'pending' && expires > now;
}

function hrefOf({ id, customerId }: Hold): string {
  return `${CUSTOMERS}/${customerId}/holds/${id}/capture`;
}

async function findHeld(
  service: Pick<Service, 'database' | 'clock'>,
  { id, part }: Readonly<Record<string, string>>,
  given: URLSearchParams,
): Promise<Held | undefined> {
  const { sql } = service.database;
  const owner = await findOwner(service, id!, given);
  const hold = owner && isId(part!) ? await findHold(sql, part!) : undefined;
  if (!owner || hold?.customerId !== owner.customer.id) return undefined;
  const of = await findLedgerAccount(sql, hold.ledgerAccountId);
  return of && { owner, hold, of };
}

function captureForm({ owner, hold, of }: Held, query: URLSearchParams, fault?: string): Content {
  const { currency } = hold;
  const rest = hold.amount - hold.captured;
  const labels = owner.offered.labels.filter((label) => label.currency === currency && label.id !== of.id);
  const given = (name: string, otherwise = '') => (query.has(name) ? textIn(query, name) : otherwise);
  const form = {
    ...{ title: 'Capture a hold', action: hrefOf(hold), verb: 'Continue', isFirstStep: true },
    lead: `Moves held money of ${sideName(of)}: to a label, or out of the customer.`,
  };
  return formPage(
    owner,
    form,
    html`${fault && notice(html`<p>${fault}</p>`, 'bad')} ${labelField({ id: 'to', label: 'To' }, { ...owner.offered, labels }, { others: [OUTSIDE], chosen: given('to') })}
    ${input(
      {
        ...{ id: 'amount', label: `Amount in ${currency}`, isRequired: true },
        hint: `${amountText(rest, currency)} ${currency} is held.`,
        value: given('amount', formatAmount(rest, currency).value),
      },
      true,
    )}
    ${select(
      { id: 'rest', label: 'What is not captured' },
      [
        { value: 'keep', text: 'stays held' },
        { value: RELEASED, text: 'is released' },
      ],
      given('rest'),
    )}
    ${input({ id: 'reference', label: 'Reference', hint: 'Stands on statements. Needed if money leaves.', value: given('reference', hold.reference ?? '') })}`,
  );
}

type Read = { move: MoveOf<'capture'>; label: Label | undefined; amount: bigint };

/** Reads the form. How much the hold has left is checked when the money moves. */
function readCapture({ owner, hold }: Held, form: URLSearchParams): Read {
  const to = textIn(form, 'to');
  const label = otherChosen([OUTSIDE], to) ? undefined : requireChosenLabel(owner, to, 'where the money goes');
  const typed = textIn(form, 'amount');
  const read = readTypedAmount(typed, hold.currency);
  const given = givenIn(form, 'reference');
  if (!label && given.reference === undefined && hold.reference === null) throw refuse('badRequest', { message: SHORT_REASON });
  const request = {
    amount: requireTypedAmount(typed, hold.currency),
    ...(form.get('rest') === RELEASED && { final: true }),
    ...given,
  };
  requireValid(captureErrors, request);
  const move: MoveOf<'capture'> = { kind: 'capture', hold: hold.id, ...(label && { to: label.id }), ...request };
  return { move, label, amount: 'fault' in read ? 0n : read.minorUnits };
}

async function confirmation(service: Service, held: Held, query: URLSearchParams): Promise<Content> {
  const { owner, hold, of } = held;
  const { move, label, amount } = readCapture(held, query);
  const { currency } = hold;
  const rest = hold.amount - hold.captured;
  if (amount === 0n) throw refuse('badRequest', { message: 'Amount must be greater than zero.' });
  if (amount > rest) throw refuse('badRequest', { message: `Only ${amountText(rest, currency)} ${currency} is held.` });
  const text = (minorUnits: bigint) => `${amountText(minorUnits, currency)} ${currency}`;
  const changes = [
    { name: sideName(of), before: of.balance, change: -amount },
    label
      ? { name: sideName({ ...label, kind: 'label' }), before: label.balance, change: amount }
      : { name: sideName({ id: '', kind: 'external', name: null }), before: undefined, change: amount },
  ];
  const fields = Object.fromEntries(FIELDS.map((name) => [name, textIn(query, name)]));
  const back = { href: `${CUSTOMERS}/${owner.customer.id}`, label: owner.name };
  const { reference = hold.reference } = move;
  const asking = await askingOf(service, hold.accountId, move, 'Capture it');
  return {
    title: 'Confirm',
    main: html`${pageHeader({ title: 'Capture this hold?', lead: owner.name, back })}
      <div class="narrow">
        ${balancesAfterwards(changes, { currency, title: text(amount), lead: badge('Capture', 'accent') })}
        ${rest > amount && html`<p>${text(rest - amount)} of the hold ${move.final ? 'is released' : 'stays held'}.</p>`}
        ${reference && html`<p>Reference: ${reference}</p>`}
        ${sendingForm({
          action: hrefOf(hold),
          hidden: { ...fields, key: keyOf(query, owner.now) },
          back: `${hrefOf(hold)}?${new URLSearchParams({ ...fields, edit: 'yes' })}`,
          ...asking,
        })}
      </div>`,
  };
}
