// The choice of a label in a form: a list, or for a customer with many labels a field that takes a name and suggests labels.
import { isId } from '../../../core/ids.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { field } from '../../../platform/pages/parts.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import { findLabelsCalled, type Label, listLabels, withHeld } from '../../../resources/labels/label.ts';
import { type FoundLabel, findLabelsOf } from '../../../resources/labels/search.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import { amountText } from '../amount.ts';
import type { Pages } from '../screen.ts';
import { type Choice, type Labelled, select } from '../select.ts';
import { shortId } from '../short-id.ts';

/** A customer with more labels chooses by name. */
const LIST_MAX = 200;
const SUGGESTED_MAX = 20;
/** A label name has at most 100 characters; the field adds the end of the id. */
const TEXT_LENGTH = 120;
/** The end of what a field shows of a label. */
const ENDING = /…([0-9a-f]{8})$/;

/** All labels of a customer with few. Of others the newest, and those that a form names. `total`: of all. */
export type Offered = { customerId: string; labels: Label[]; total: number };

/** `given`: what the form has so far. */
export async function offerLabels(
  { database: { sql }, clock }: Pick<Service, 'database' | 'clock'>,
  { id, accountId }: Pick<Customer, 'id' | 'accountId'>,
  given: URLSearchParams,
): Promise<Offered> {
  const { elements, total } = await listLabels(sql, id, { limit: LIST_MAX, offset: 0 });
  const known = new Set(elements.map((label) => label.id));
  const named = total > elements.length ? await findLabelsCalled(sql, id, readCalled([...given.values()])) : [];
  const labels = [...elements, ...named.filter((label) => !known.has(label.id))];
  return { customerId: id, labels: await withHeld(sql, labels, clock.now(accountId)), total };
}

function readCalled(values: string[]): Parameters<typeof findLabelsCalled>[2] {
  const texts = [...new Set(values.map((value) => value.trim()))].filter((text) => text !== '' && text.length <= TEXT_LENGTH);
  return { ids: texts.filter(isId), names: texts, endings: texts.flatMap((text) => ENDING.exec(text)?.[1] ?? []) };
}

function isList({ total }: Offered): boolean {
  return total <= LIST_MAX;
}

/** The scripts of a page whose form chooses a label. */
export function labelScripts(offered: Offered): string[] {
  return isList(offered) ? [] : ['labels.js'];
}

/** The label with this id, with what a field shows, or with a name that no other one has. `what` names the choice. */
export function findChosen(offered: Offered, text: string, what: string): Label | { fault: string } {
  if (text === '') return { fault: `Choose ${what}.` };
  const { labels } = offered;
  const one = labels.find((label) => label.id === text || fieldText(label) === text);
  if (one) return one;
  const [first, ...others] = labels.filter(({ name }) => name?.toLowerCase() === text.toLowerCase());
  if (first && others.length > 0) return { fault: `More than one label has the name “${text}”. Choose it from the suggestions.` };
  return (
    first ?? { fault: isList(offered) || isId(text) ? 'The label does not exist any more.' : `No label has the name “${text}”.` }
  );
}

/** What a field shows of a label: names are not unique. */
function fieldText({ name, id }: Pick<Label, 'name' | 'id'>): string {
  return `${name ?? 'Label'} ${shortId(id)}`;
}

function labelChoices(labels: FoundLabel[]): Choice[] {
  return labels.map((label) => {
    const { name, id, balance, held, currency } = label;
    const funds = fundsText({ available: balance - held, held }, currency);
    return { value: id, name: fieldText(label), text: `${name ?? fieldText(label)} (${funds})` };
  });
}

/** `35,000.00 USD available, 5,000.00 held` */
export function fundsText({ available, held }: { available: bigint; held: bigint }, currency: string): string {
  const text = `${amountText(available, currency)} ${currency} available`;
  return held > 0n ? `${text}, ${amountText(held, currency)} held` : text;
}

/** `others`: before the labels. `chosen`: a value of the form. `first`: the value if nothing is chosen from a list. */
export function labelField(
  labelled: Labelled,
  offered: Offered,
  { others = [], chosen = '', first }: { others?: Choice[]; chosen?: string | undefined; first?: string | undefined },
): Html {
  const choices = [...others, ...labelChoices(offered.labels)];
  if (isList(offered)) return select(labelled, choices, chosen || first);
  const { id, label, hint } = labelled;
  const suggested = choices.filter(({ value }) => value !== '').slice(0, SUGGESTED_MAX);
  const shown = choices.find(({ value }) => value === chosen);
  return field(
    { id, label, hint },
    html`<input class="input" id=${id} name=${id} value=${chosen && shown ? nameOf(shown) : chosen} list=${`${id}-labels`} maxlength=${TEXT_LENGTH}
        autocomplete="off" aria-describedby=${hint && `${id}-hint`} placeholder="Part of the name" data-labels=${`${CUSTOMERS}/${offered.customerId}/labels/choices`} />
      <datalist id=${`${id}-labels`}>
        ${suggested.map((choice) => html`<option value=${nameOf(choice)}>${choice.text}</option>`)}
      </datalist>`,
  );
}

/** The value of another choice than a label, which a list gives by its value and a field by its name. */
export function otherChosen(others: Choice[], text: string): string | undefined {
  return others.find((choice) => choice.value === text || nameOf(choice).toLowerCase() === text.toLowerCase())?.value;
}

function nameOf({ name, text }: Choice): string {
  return name ?? text;
}

/** Suggestions for a field, while a name is typed. */
export function addLabelChoices(pages: Pages, { database: { sql }, clock }: Pick<Service, 'database' | 'clock'>): void {
  pages.file(`${CUSTOMERS}/:id/labels/choices`, 'readMoney', async ({ params, query }) => {
    const customer = isId(params.id!) ? await findCustomer(sql, params.id!) : undefined;
    if (!customer) return undefined;
    const text = (query.get('search') ?? '').trim().slice(0, TEXT_LENGTH);
    const found = await findLabelsOf(sql, [customer.id], { text, limit: SUGGESTED_MAX });
    const labels = await withHeld(sql, found, clock.now(customer.accountId));
    return { mediaType: 'application/json; charset=utf-8', content: Buffer.from(JSON.stringify(labelChoices(labels))) };
  });
}
