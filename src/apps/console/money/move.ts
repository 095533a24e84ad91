// Moves money of a customer: a form, a confirmation with the balances afterwards, and the move.
import { randomUUID } from 'node:crypto';
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { findBalances } from '../../../ledger/transfers/balance.ts';
import { html } from '../../../platform/pages/html.ts';
import { notice, pageHeader } from '../../../platform/pages/parts.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import { listLabels } from '../../../resources/labels/label.ts';
import type { Move } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { readTypedAmount } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { requireFormKey } from '../form-key.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import type { Pages } from '../screen.ts';
import { askingOf, makeMove } from './make-move.ts';
import { type Checked, type Fields, faultIn, type Place, placeOf } from './move-check.ts';
import { confirmation, moveForm } from './move-form.ts';

const HREF = '/console/money';
const LABELS_MAX = 200;

export function addMove(pages: Pages, service: Service): void {
  pages.page(`${HREF}/move`, 'moveMoney', async ({ query }) => {
    const customer = await findById(service, query.get('customer'));
    if (!customer) return undefined;
    const places = await readPlaces(service, customer);
    const fields = readFields(query, places);
    const isAsked = query.has('amount') && !query.has('edit');
    const checked = isAsked ? check(places, fields) : undefined;
    const name = nameOf({ ...customer, businessName: customer.profile.businessName });
    const back = { href: `/console/customers/${customer.id}`, label: name };
    if (checked && 'kind' in checked) {
      const read = { ...fields, amount: checked.amount.value };
      const asking = await askingOf(service, customer.accountId, moveOf(checked, read), 'Move the money');
      return {
        title: 'Confirm',
        main: html`${pageHeader({ title: 'Move this money?', lead: name, back })}
          <div class="narrow">${confirmation(checked, { ...sendingOf(customer.id, read), ...asking })}</div>`,
      };
    }
    return {
      title: `Move money of ${name}`,
      main: html`${pageHeader({ title: `Move money of ${name}`, back })}
        <div class="narrow">
          ${checked && notice(html`<p>${checked.fault}</p>`, 'bad')} ${moveForm(customer.id, places, fields)}
        </div>`,
    };
  });
  pages.action(`${HREF}/move`, 'moveMoney', async (visit, form) => {
    const customer = await findById(service, form.get('customer'));
    if (!customer) throw refuse('notFound');
    const places = await readPlaces(service, customer);
    const fields = readFields(form, places);
    const checked = placesOf(places, fields);
    if ('fault' in checked) throw refuse('badRequest', { message: checked.fault });
    const move = moveOf(checked, { ...fields, amount: checked.amount.value });
    return makeMove(
      service,
      visit,
      { customer, move, ...requireFormKey(form) },
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

function sendingOf(customer: string, fields: Fields) {
  return {
    action: `${HREF}/move`,
    hidden: { ...fields, customer, key: randomUUID() },
    reference: fields.reference,
    back: `${HREF}/move?${new URLSearchParams({ customer, ...fields, edit: 'yes' })}`,
  };
}

async function findById({ database }: Pick<Service, 'database'>, id: string | null): Promise<Customer | undefined> {
  return id !== null && isId(id) ? findCustomer(database.sql, id) : undefined;
}

async function readPlaces(
  { database: { sql }, clock }: Pick<Service, 'database' | 'clock'>,
  { id, accountId }: Customer,
): Promise<Place[]> {
  const [balances, labels] = await Promise.all([
    findBalances(sql, id, clock.now(accountId)),
    listLabels(sql, id, { limit: LABELS_MAX, offset: 0 }),
  ]);
  return [
    { value: 'outside', kind: 'external', name: null },
    { value: 'available', kind: 'available', name: null, balances },
    ...labels.elements.map((label) => ({ value: label.id, kind: 'label' as const, name: label.name, label })),
  ];
}

function readFields(given: URLSearchParams, places: Place[]): Fields {
  const text = (name: string) => (given.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  const [first, second] = places.flatMap(({ label }) => label ?? []);
  const balance = places.find(({ balances }) => balances)?.balances?.[0];
  // From label to label, if there are two.
  const from = text('from') || (second ? first!.id : 'outside');
  const to = text('to') || (text('from') === '' && second ? second.id : 'available');
  const label = places.find((place) => place.label && [from, to].includes(place.value))?.label;
  return {
    ...{ from, to },
    amount: text('amount'),
    currency: text('currency').toUpperCase() || label?.currency || balance?.currency || first?.currency || 'USD',
    reference: text('reference'),
  };
}

/** Both sides and the amount. The ledger checks the balances. */
function placesOf(places: Place[], { from, to, amount, currency, reference }: Fields): Checked | { fault: string } {
  const kind = placeOf(places, { from, to });
  if ('fault' in kind) return kind;
  const read = readTypedAmount(amount, currency);
  if ('fault' in read) return read;
  if (read.minorUnits === 0n) return { fault: 'Amount must be greater than zero.' };
  const isOutside = kind.kind === 'deposit' || kind.kind === 'withdrawal';
  if (isOutside && reference === '')
    return { fault: 'Say in the reference why money enters or leaves. It stands on statements.' };
  return { ...kind, amount: read, currency };
}

function check(places: Place[], fields: Fields): Checked | { fault: string } {
  const checked = placesOf(places, fields);
  const fault = 'fault' in checked ? undefined : faultIn(checked);
  return fault === undefined ? checked : { fault };
}
