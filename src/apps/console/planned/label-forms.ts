// Labels made, renamed and removed by people. A label starts at zero: what moves money is asked for and confirmed by the form of a move.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { validatorOf } from '../../../platform/http/schemas.ts';
import { html } from '../../../platform/pages/html.ts';
import { changeLabel } from '../../../resources/labels/change.ts';
import { createLabel } from '../../../resources/labels/create.ts';
import { findLabel, type Label, LabelChange, LabelRequest } from '../../../resources/labels/label.ts';
import { removeLabel } from '../../../resources/labels/remove.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { sideName } from '../ledger/transfer-words.ts';
import type { Pages } from '../screen.ts';
import { select } from '../select.ts';
import { addCreating } from './creating.ts';
import { addEnding } from './ending.ts';
import { doOnce, findOwner, formPage, input, type Owner, requireOwner, requireValid, textIn } from './plan-form.ts';

/** Of a customer that has no money yet. */
const USUAL_CURRENCY = 'USD';

const labelErrors = validatorOf(LabelRequest);
const changeErrors = validatorOf(LabelChange);

export function addLabelForms(pages: Pages, service: Service): void {
  addNewLabel(pages, service);
  addRename(pages, service);
  addEnding<Label>(pages, service, {
    ...{ folder: 'labels', word: 'remove', action: 'remove_label', type: 'label', done: 'unlabelled', isNear: false },
    ...{ title: 'Remove this label?', verb: 'Remove it' },
    find: findPresent,
    effect: () => 'Nothing can be moved to it any more. Its entries stay in the ledger, and on statements.',
    factsOf: (label) => [
      ['Label', sideName({ ...label, kind: 'label' })],
      ['Amount', `${amountText(label.balance, label.currency)} ${label.currency}`],
      ['Entries', label.version.toLocaleString('en')],
    ],
    end: async (tx, label, now) => (await removeLabel(tx, label, label, now)).id,
  });
}

async function findPresent(sql: Sql, id: string): Promise<Label | undefined> {
  const label = await findLabel(sql, id);
  return label?.removed ? undefined : label;
}

function addRename(pages: Pages, service: Service): void {
  const path = `${CUSTOMERS}/:id/labels/:part/rename`;
  const find = async ({ customer }: Owner, id: string) => {
    const label = isId(id) ? await findPresent(service.database.sql, id) : undefined;
    return label?.customerId === customer.id ? label : undefined;
  };
  const hrefOf = ({ customerId, id }: Label) => `${CUSTOMERS}/${customerId}/labels/${id}/rename`;
  pages.page(path, 'moveMoney', async ({ params, query }) => {
    const owner = await findOwner(service, params.id!, query);
    const label = owner && (await find(owner, params.part!));
    if (!label) return undefined;
    const lead = 'Statements of months that have ended keep the name that it had then.';
    const form = { title: 'Rename a label', lead, verb: 'Rename it', action: hrefOf(label) };
    return formPage(owner, form, input({ id: 'name', label: 'Name', value: label.name ?? '', isRequired: true }));
  });
  pages.action(
    path,
    'moveMoney',
    async (visit, form) => {
      const owner = await requireOwner(service, visit.params.id!, form);
      const label = await find(owner, visit.params.part!);
      if (!label) throw refuse('notFound');
      const change: LabelChange = { name: textIn(form, 'name') };
      requireValid(changeErrors, change);
      await doOnce(service, visit, form, {
        ...{ customer: owner.customer, action: 'rename_label', type: 'label', path: hrefOf(label) },
        request: { id: label.id, ...change },
        // It locks the label, so the whole transaction runs where the customer is.
        database: service.groups.near(owner.customer.bucket),
        work: async (tx, now) => (await changeLabel(tx, label, label.id, { change, now })).id,
      });
      return `${CUSTOMERS}/${owner.customer.id}?done=renamed`;
    },
    { from: path },
  );
}

function addNewLabel(pages: Pages, service: Service): void {
  addCreating(pages, service, {
    ...{ folder: 'labels', action: 'create_label', type: 'label', done: 'labelled' },
    // It locks the customer, so the whole transaction runs where that is.
    isNear: true,
    ...{ title: 'New label', verb: 'Make the label' },
    lead: 'A named part of the balance of the customer. It starts at zero: move money to it afterwards, or divide deposits.',
    missing: ({ customer }) => (customer.status === 'verified' ? undefined : 'Only a verified customer gets labels.'),
    fields: ({ balances }) => {
      const hint = 'That of its money, for good.';
      const currencies = balances.map(({ currency }) => ({ value: currency, text: currency }));
      return html`${input({ id: 'name', label: 'Name', hint: 'Such as Sales tax.', isRequired: true })}
      ${
        currencies.length > 0
          ? select({ id: 'currency', label: 'Currency', hint }, currencies)
          : input({ id: 'currency', label: 'Currency', hint, value: USUAL_CURRENCY, isRequired: true })
      }`;
    },
    read: (_owner, form) => {
      const currency = textIn(form, 'currency').toUpperCase();
      const request: LabelRequest = { name: textIn(form, 'name'), amount: { value: '0', currency } };
      requireValid(labelErrors, request);
      return { request };
    },
    create: (tx, { customer }, { request }, now) => createLabel(tx, customer, request, now),
  });
}
