// Balance monitors made and deleted by people.
import { validatorOf } from '../../../platform/http/schemas.ts';
import { html } from '../../../platform/pages/html.ts';
import { createMonitor, deleteMonitor, followFeed } from '../../../resources/balance-monitors/create.ts';
import { findMonitor, type Monitor, MonitorRequest } from '../../../resources/balance-monitors/monitor.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { labelField } from '../ledger/label-choice.ts';
import type { Pages } from '../screen.ts';
import { type Choice, select } from '../select.ts';
import { addCreating } from './creating.ts';
import { addEnding } from './ending.ts';
import { input, type Owner, requireChosenLabel, requireTypedAmount, requireValid, textIn } from './plan-form.ts';

const DIRECTIONS: Choice[] = [
  { value: 'below', text: 'falls below' },
  { value: 'above', text: 'rises above' },
];

const monitorErrors = validatorOf(MonitorRequest);

export function addMonitorForms(pages: Pages, service: Service): void {
  addNewMonitor(pages, service);
  addEnding<Monitor>(pages, service, {
    ...{ folder: 'monitors', word: 'delete', action: 'delete_monitor', type: 'monitor', done: 'unwatched', isNear: false },
    ...{ title: 'Delete this monitor?', verb: 'Delete it' },
    find: (sql, id) => findMonitor(sql, id),
    effect: () => 'Further crossings of the threshold are not reported.',
    factsOf: ({ direction, threshold, rearm, currency }) => [
      [`Amount ${direction}`, `${amountText(threshold, currency)} ${currency}`],
      ['Reports again after', `${amountText(rearm, currency)} ${currency}`],
    ],
    end: async (tx, { accountId, id }, now) => (await deleteMonitor(tx, { accountId }, id, now)).id,
  });
}

function addNewMonitor(pages: Pages, service: Service): void {
  addCreating(pages, service, {
    ...{ folder: 'monitors', action: 'create_monitor', type: 'monitor', done: 'watched' },
    // It locks the label, so the whole transaction runs where the customer is.
    isNear: true,
    ...{ title: 'Watch a balance', verb: 'Watch it' },
    lead: 'An event reports each time the amount of a label crosses a threshold. Webhooks deliver it.',
    missing: ({ offered }) => (offered.total === 0 ? 'A monitor watches the amount of a label.' : undefined),
    fields: ({ offered }, { query }) =>
      html`${labelField({ id: 'label', label: 'Label' }, offered, { chosen: query.get('label') ?? undefined })}
      ${select({ id: 'direction', label: 'Report when the amount' }, DIRECTIONS)}
      ${input({ id: 'threshold', label: 'Threshold', hint: 'In the currency of the label. Held money counts too.', isRequired: true }, true)}
      ${input({ id: 'rearm', label: 'Report again after', hint: 'Optional. The amount must be back here before the next crossing is reported.' }, true)}`,
    async read(owner, form) {
      const { label, terms } = readMonitor(owner, form);
      await followFeed(service.database.sql, owner.customer.accountId);
      return { request: { label, ...terms }, label, terms };
    },
    create: (tx, _owner, { label, terms }, now) => createMonitor(tx, label, terms, now),
  });
}

function readMonitor(owner: Owner, form: URLSearchParams): { label: string; terms: MonitorRequest } {
  const { id, currency } = requireChosenLabel(owner, textIn(form, 'label'), 'the label to watch');
  const direction = textIn(form, 'direction') === 'above' ? 'above' : 'below';
  const rearm = textIn(form, 'rearm');
  const terms = {
    [direction]: requireTypedAmount(textIn(form, 'threshold'), currency),
    ...(rearm !== '' && { rearm: requireTypedAmount(rearm, currency) }),
  };
  requireValid(monitorErrors, terms);
  return { label: id, terms };
}
