// Labels made by people. A label starts at zero: what moves money is asked for and confirmed by the form of a move.
import { validatorOf } from '../../../platform/http/schemas.ts';
import { html } from '../../../platform/pages/html.ts';
import { createLabel } from '../../../resources/labels/create.ts';
import { LabelRequest } from '../../../resources/labels/label.ts';
import type { Service } from '../../service/service.ts';
import type { Pages } from '../screen.ts';
import { addCreating } from './creating.ts';
import { input, requireValid, select, textIn } from './plan-form.ts';

/** Of a customer that has no money yet. */
const USUAL_CURRENCY = 'USD';

const labelErrors = validatorOf(LabelRequest);

export function addLabelForms(pages: Pages, service: Service): void {
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
