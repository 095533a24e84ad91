// Moves money of a customer: a form, a confirmation with the balances afterwards, and the move.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { html } from '../../../platform/pages/html.ts';
import { notice, pageHeader } from '../../../platform/pages/parts.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import type { Move } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { MONEY as HREF } from '../addresses.ts';
import { readTypedAmount } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { keyOf, requireFormKey } from '../form-key.ts';
import { labelScripts } from '../ledger/label-choice.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import type { Pages } from '../screen.ts';
import { askingOf, makeMove } from './make-move.ts';
import { type Checked, type Fields, faultIn, placeOf } from './move-check.ts';
import { confirmation, moveForm } from './move-form.ts';
import { findSide, readSides, type Sides } from './move-sides.ts';

export function addMove(pages: Pages, service: Service): void {
  pages.page(`${HREF}/move`, 'moveMoney', async ({ query }) => {
    const customer = await findById(service, query.get('customer'));
    if (!customer) return undefined;
    const sides = await readSides(service, customer, query);
    const fields = readFields(query, sides);
    const isAsked = query.has('amount') && !query.has('edit');
    const checked = isAsked ? check(sides, fields) : undefined;
    const name = nameOf({ ...customer, businessName: customer.profile.businessName });
    const back = { href: `/console/customers/${customer.id}`, label: name };
    if (checked && 'kind' in checked) {
      const read = { ...fields, amount: checked.amount.value };
      const asking = await askingOf(service, customer.accountId, moveOf(checked, read), 'Move the money');
      return {
        title: 'Confirm',
        main: html`${pageHeader({ title: 'Move this money?', lead: name, back })}
          <div class="narrow">${confirmation(checked, { ...sendingOf(customer.id, read, keyOf(query, sides.now)), ...asking })}</div>`,
      };
    }
    return {
      title: `Move money of ${name}`,
      scripts: labelScripts(sides.offered),
      main: html`${pageHeader({ title: `Move money of ${name}`, back })}
        <div class="narrow">
          ${checked && notice(html`<p>${checked.fault}</p>`, 'bad')} ${moveForm(sides, fields)}
        </div>`,
    };
  });
  pages.action(`${HREF}/move`, 'moveMoney', async (visit, form) => {
    const customer = await findById(service, form.get('customer'));
    if (!customer) throw refuse('notFound');
    const sides = await readSides(service, customer, form);
    const fields = readFields(form, sides);
    const checked = placesOf(sides, fields);
    if ('fault' in checked) throw refuse('badRequest', { message: checked.fault });
    const move = moveOf(checked, { ...fields, amount: checked.amount.value });
    return makeMove(
      service,
      visit,
      { customer, move, ...requireFormKey(form, sides.now) },
      ({ id }) => `${HREF}/transfers/${id}?done=moved`,
    );
  });
}

function moveOf({ kind, from, to }: Checked, { amount: value, currency, reference }: Fields): Move {
  const about = { amount: { value, currency }, ...(reference !== '' && { reference }) };
  switch (kind) {
    case 'reallocation':
      return { kind, from: from.value, to: to.value, ...about };
    case 'label':
      return { kind, label: (from.label ?? to.label)!.id, isOut: from.label !== undefined, ...about };
    default:
      return { kind, ...about };
  }
}

function sendingOf(customer: string, fields: Fields, key: string) {
  return {
    action: `${HREF}/move`,
    hidden: { ...fields, customer, key },
    reference: fields.reference,
    back: `${HREF}/move?${new URLSearchParams({ customer, ...fields, edit: 'yes' })}`,
  };
}

async function findById({ database }: Pick<Service, 'database'>, id: string | null): Promise<Customer | undefined> {
  return id !== null && isId(id) ? findCustomer(database.sql, id) : undefined;
}

/** Sides that are found by name are kept by their ids, because names change. */
function readFields(given: URLSearchParams, sides: Sides): Fields {
  const text = (name: string) => (given.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  const { from: first, to: second } = usualSides(sides.offered);
  const typed = {
    from: text('from') || first,
    to: text('to') || (text('from') === '' ? second : 'available'),
  };
  const [from, to] = [findSide(sides, typed.from), findSide(sides, typed.to)];
  const currency = labelOf(from)?.currency ?? labelOf(to)?.currency;
  return {
    from: 'fault' in from ? typed.from : from.value,
    to: 'fault' in to ? typed.to : to.value,
    amount: text('amount'),
    currency: currency ?? (text('currency').toUpperCase() || sides.balances[0]?.currency || 'USD'),
    reference: text('reference'),
  };
}

/** From label to label, if there are two; where a person finds labels by name, none. */
function usualSides({ labels, total }: Sides['offered']): { from: string; to: string } {
  const [first, second] = labels;
  if (labels.length < total) return { from: '', to: '' };
  return first && second ? { from: first.id, to: second.id } : { from: 'outside', to: 'available' };
}

function labelOf(side: ReturnType<typeof findSide>) {
  return 'fault' in side ? undefined : side.label;
}

/** Both sides and the amount. The ledger checks the balances. */
function placesOf(sides: Sides, { from, to, amount, currency, reference }: Fields): Checked | { fault: string } {
  const [one, other] = [findSide(sides, from), findSide(sides, to)];
  if ('fault' in one) return one;
  if ('fault' in other) return other;
  const kind = placeOf(one, other);
  if ('fault' in kind) return kind;
  const read = readTypedAmount(amount, currency);
  if ('fault' in read) return read;
  if (read.minorUnits === 0n) return { fault: 'Amount must be greater than zero.' };
  const isOutside = kind.kind === 'deposit' || kind.kind === 'withdrawal';
  if (isOutside && reference === '')
    return { fault: 'Say in the reference why money enters or leaves. It stands on statements.' };
  return { ...kind, amount: read, currency };
}

function check(sides: Sides, fields: Fields): Checked | { fault: string } {
  const checked = placesOf(sides, fields);
  const fault = 'fault' in checked ? undefined : faultIn(checked);
  return fault === undefined ? checked : { fault };
}
