// Reverses a reallocation, or a part of it: a form, a confirmation with the balances afterwards, and the reversal.
import { isId } from '../../../core/ids.ts';
import { formatAmount } from '../../../core/money/money.ts';
import { refuse } from '../../../core/problems.ts';
import { findTransferDetail, type TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, notice, pageHeader } from '../../../platform/pages/parts.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { findLabel } from '../../../resources/labels/label.ts';
import type { Move } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { TRANSFERS as HREF } from '../addresses.ts';
import { amountText, readTypedAmount } from '../amount.ts';
import { formKey, keyOf, requireFormKey } from '../form-key.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import type { Pages } from '../screen.ts';
import { askingOf, makeMove } from './make-move.ts';
import { type Checked, type Fields, faultIn, type Place } from './move-check.ts';
import { confirmation } from './move-form.ts';

type Reversal = Pick<Fields, 'amount' | 'reference'>;

/** The unreversed remainder, in minor units; 0 for what cannot be reversed at all. */
export function reversible({ kind, reverses, amount, reversed }: TransferDetail): bigint {
  return kind === 'reallocation' && reverses === null ? amount - reversed : 0n;
}

export function addReverse(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id/reverse`, 'moveMoney', async ({ params, query }) => {
    const original = await find(service, params.id!);
    if (!original) return undefined;
    const now = service.clock.now(original.accountId);
    const [places, fields] = [await readPlaces(service, original), readFields(query, original)];
    const isPossible = places !== undefined && reversible(original) > 0n;
    const isAsked = query.has('amount') && !query.has('edit');
    const checked = isAsked || !isPossible ? check(original, places, fields) : undefined;
    const back = { href: `${HREF}/${original.id}`, label: 'Transfer' };
    if (checked && 'kind' in checked) {
      const read = { ...fields, amount: checked.amount.value };
      const asking = await askingOf(service, original.accountId, reversalOf(original, read), 'Reverse it');
      return {
        title: 'Confirm',
        main: html`${pageHeader({ title: 'Move this money back?', back })}
          <div class="narrow">${confirmation(checked, { ...sendingOf(original, read, keyOf(query, now)), ...asking })}</div>`,
      };
    }
    return {
      title: 'Reverse a reallocation',
      main: html`${pageHeader({ title: 'Reverse a reallocation', back })}
        <div class="narrow">
          ${checked && notice(html`<p>${checked.fault}</p>`, 'bad')} ${isPossible && reversalForm(original, fields, now)}
        </div>`,
    };
  });
  pages.action(`${HREF}/:id/reverse`, 'moveMoney', async (visit, form) => {
    const original = await find(service, visit.params.id!);
    const customer = original && (await findCustomer(service.database.sql, original.customerId));
    if (!original || !customer) throw refuse('notFound');
    const fields = readFields(form, original);
    const read = readTypedAmount(fields.amount, original.currency);
    if ('fault' in read) throw refuse('badRequest', { message: read.fault });
    const move = reversalOf(original, { ...fields, amount: read.value });
    const key = requireFormKey(form, service.clock.now(customer.accountId));
    return makeMove(service, visit, { customer, move, ...key }, ({ id }) => `${HREF}/${id}?done=moved`);
  });
}

function reversalOf({ id, currency }: TransferDetail, { amount: value, reference }: Reversal): Move {
  return { kind: 'reversal', original: id, amount: { value, currency }, ...(reference !== '' && { reference }) };
}

/** The reallocation, while a part of it is not reversed, or after all of it was by this form. */
async function find({ database }: Pick<Service, 'database'>, id: string): Promise<TransferDetail | undefined> {
  const transfer = isId(id) ? await findTransferDetail(database.sql, id) : undefined;
  return transfer?.kind === 'reallocation' && transfer.reverses === null ? transfer : undefined;
}

/** The sides of the reversal as they are now, or undefined when a label is removed. */
async function readPlaces({ database: { sql } }: Pick<Service, 'database'>, { fromId, toId }: TransferDetail) {
  const labels = await Promise.all([findLabel(sql, toId), findLabel(sql, fromId)]);
  const places = labels.flatMap((label): Place[] =>
    label && !label.removed ? [{ value: label.id, kind: 'label', name: label.name, label }] : [],
  );
  const [from, to] = places;
  return from && to && { from, to };
}

function readFields(given: URLSearchParams, original: TransferDetail): Reversal {
  const text = (name: string) => (given.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  const rest = formatAmount(reversible(original), original.currency).value;
  return { amount: text('amount') || rest, reference: text('reference') };
}

function check(
  original: TransferDetail,
  places: { from: Place; to: Place } | undefined,
  { amount }: Reversal,
): Checked | { fault: string } {
  const { currency } = original;
  const rest = reversible(original);
  if (!places) return { fault: 'One of the labels is removed.' };
  if (rest === 0n) return { fault: 'All of it is reversed already.' };
  const read = readTypedAmount(amount, currency);
  if ('fault' in read) return read;
  if (read.minorUnits === 0n) return { fault: 'Amount must be greater than zero.' };
  if (read.minorUnits > rest) return { fault: `Only ${amountText(rest, currency)} ${currency} is left to reverse.` };
  const checked: Checked = { kind: 'reallocation', ...places, amount: read, currency };
  const fault = faultIn(checked);
  return fault === undefined ? checked : { fault };
}

function sendingOf({ id }: TransferDetail, fields: Reversal, key: string) {
  const action = `${HREF}/${id}/reverse`;
  return {
    action,
    hidden: { ...fields, key },
    reference: fields.reference,
    back: `${HREF}/${id}/reverse?${new URLSearchParams({ ...fields, edit: 'yes' })}`,
  };
}

function reversalForm(original: TransferDetail, { amount, reference }: Reversal, now: Date): Html {
  const { id, currency } = original;
  const rest = reversible(original);
  return card(
    { title: 'What to move back', lead: `${amountText(rest, currency)} ${currency} is not reversed` },
    html`<form method="get" action=${`${HREF}/${id}/reverse`}>
      ${formKey(now)}
      ${field(
        { id: 'amount', label: `Amount in ${currency}` },
        html`<input class="input" id="amount" name="amount" value=${amount} required inputmode="decimal" autocomplete="off" />`,
      )}
      ${field(
        { id: 'reference', label: 'Reference', hint: 'Optional. Stands on statements.' },
        html`<input class="input" id="reference" name="reference" value=${reference} maxlength=${TEXT_LENGTH} autocomplete="off" aria-describedby="reference-hint" />`,
      )}
      <div class="buttons">
        <button class="button button-primary" type="submit">Continue</button>
        <a class="button" href=${`${HREF}/${id}`}>Cancel</a>
      </div>
    </form>`,
  );
}
