// Balance monitors made and deleted by people.
import { validatorOf } from '../../../platform/http/schemas.ts';
import { html } from '../../../platform/pages/html.ts';
import { createMonitor, deleteMonitor, followFeed } from '../../../resources/balance-monitors/create.ts';
import { findMonitor, type Monitor, MonitorRequest } from '../../../resources/balance-monitors/monitor.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import type { Pages } from '../screen.ts';
import { addEnding } from './ending.ts';
import {
  type Choice,
  CUSTOMERS,
  doOnce,
  findOwner,
  formPage,
  input,
  labelChoices,
  missingPage,
  type Owner,
  requireChosenLabel,
  requireOwner,
  requireTypedAmount,
  requireValid,
  select,
  textIn,
} from './plan-form.ts';

const TITLE = 'Watch a balance';
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
    factsOf: ({ direction, threshold, currency }) => [[`Amount ${direction}`, `${amountText(threshold, currency)} ${currency}`]],
    end: async (tx, { accountId, id }, now) => (await deleteMonitor(tx, { accountId }, id, now)).id,
  });
}

function addNewMonitor(pages: Pages, service: Service): void {
  const path = `${CUSTOMERS}/:id/monitors/new`;
  pages.page(path, 'moveMoney', async ({ params, query }) => {
    const owner = await findOwner(service, params.id!);
    if (!owner) return undefined;
    if (owner.labels.length === 0)
      return missingPage(owner, { title: TITLE, missing: 'A monitor watches the amount of a label.' });
    const form = {
      ...{ title: TITLE, action: `${CUSTOMERS}/${owner.customer.id}/monitors/new`, verb: 'Watch it' },
      lead: 'An event reports each time the amount of a label crosses a threshold. Webhooks deliver it.',
    };
    return formPage(
      owner,
      form,
      html`${select({ id: 'label', label: 'Label' }, labelChoices(owner.labels), query.get('label') ?? undefined)}
      ${select({ id: 'direction', label: 'Report when the amount' }, DIRECTIONS)}
      ${input({ id: 'threshold', label: 'Threshold', hint: 'In the currency of the label. Held money counts too.', isRequired: true }, true)}
      ${input({ id: 'rearm', label: 'Report again after', hint: 'Optional. The amount must be back here before the next crossing is reported.' }, true)}`,
    );
  });
  pages.action(
    path,
    'moveMoney',
    async (visit, form) => {
      const owner = await requireOwner(service, visit.params.id!);
      const { customer } = owner;
      const { label, request } = readMonitor(owner, form);
      await followFeed(service.database.sql, customer.accountId);
      await doOnce(service, visit, form, {
        ...{ customer, action: 'create_monitor', type: 'monitor', request: { label, ...request } },
        path: `${CUSTOMERS}/${customer.id}/monitors/new`,
        // It locks the label, so the whole transaction runs where the customer is.
        database: service.groups.near(customer.bucket),
        work: (tx, now) => createMonitor(tx, label, request, now),
      });
      return `${CUSTOMERS}/${customer.id}?done=watched#planned`;
    },
    { from: path },
  );
}

function readMonitor(owner: Owner, form: URLSearchParams): { label: string; request: MonitorRequest } {
  const { id, currency } = requireChosenLabel(owner, textIn(form, 'label'), 'the label to watch');
  const direction = textIn(form, 'direction') === 'above' ? 'above' : 'below';
  const rearm = textIn(form, 'rearm');
  const request = {
    [direction]: requireTypedAmount(textIn(form, 'threshold'), currency),
    ...(rearm !== '' && { rearm: requireTypedAmount(rearm, currency) }),
  };
  requireValid(monitorErrors, request);
  return { label: id, request };
}
