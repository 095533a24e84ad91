// Suspends, deactivates and reactivates a customer, with a reason for the audit log.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { html } from '../../../platform/pages/html.ts';
import { card, field, notice, pageHeader } from '../../../platform/pages/parts.ts';
import { changeCustomer } from '../../../resources/customers/change.ts';
import { type Customer, findCustomer, legalStatusChanges, type StatusChange } from '../../../resources/customers/customer.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS as HREF } from '../addresses.ts';
import { nameOf } from '../customer-name.ts';
import type { Pages, Visit } from '../screen.ts';

const REASON_LENGTH = 500;

const CHANGES = [
  {
    path: 'suspend',
    status: 'suspended',
    action: 'suspend_customer',
    verb: 'Suspend',
    effect: 'No money moves until the customer is reactivated. Deposits are still recorded.',
  },
  {
    path: 'deactivate',
    status: 'deactivated',
    action: 'deactivate_customer',
    verb: 'Deactivate',
    effect: 'The customer is closed: no money moves, and nothing of it can be changed. It can be reactivated.',
  },
  {
    path: 'reactivate',
    status: 'reactivated',
    action: 'reactivate_customer',
    verb: 'Reactivate',
    effect: 'The customer gets the status that it had before, and may move money again if it was verified.',
  },
] as const satisfies { path: string; status: StatusChange; action: string; verb: string; effect: string }[];

export function addChangeOfStatus(pages: Pages, service: Service): void {
  for (const { path, status, action, verb, effect } of CHANGES) {
    const url = `${HREF}/:id/${path}`;
    pages.page(url, 'changeCustomers', async ({ params }) => {
      const customer = await findById(service, params.id!);
      if (!customer) return undefined;
      const name = nameOf({ ...customer, businessName: customer.profile.businessName });
      const back = `${HREF}/${customer.id}`;
      const isLegal = legalStatusChanges(customer).includes(status);
      return {
        title: `${verb} ${name}`,
        main: html`${pageHeader({ title: `${verb} ${name}?`, back: { href: back, label: name } })}
          <div class="narrow">${isLegal ? formFor(`${back}/${path}`, { verb, effect, back }) : impossible(customer)}</div>`,
      };
    });
    const change = async ({ params, audit }: Visit, form: URLSearchParams) => {
      const customer = await findById(service, params.id!);
      if (!customer) throw refuse('notFound');
      const reason = (form.get('reason') ?? '').trim().slice(0, REASON_LENGTH);
      if (reason === '') throw refuse('badRequest', { message: 'Give a reason. It is kept in the audit log.' });
      const { accountId, id } = customer;
      const { config, sealer, clock, database } = service;
      await database.transaction(async (tx) => {
        await changeCustomer(tx, { mode: config.mode, sealer }, { accountId }, id, { status }, clock.now(accountId));
        await audit({ action, resource: { type: 'customer', id }, detail: { reason } }, tx);
      });
      return `${HREF}/${id}?done=${status}`;
    };
    pages.action(url, 'changeCustomers', change, { from: url });
  }
}

function formFor(action: string, { verb, effect, back }: { verb: string; effect: string; back: string }) {
  return card(
    { title: 'Reason' },
    html`<form method="post" action=${action}>
      <p>${effect}</p>
      ${field(
        { id: 'reason', label: 'Why', hint: 'Kept in the audit log with your name.' },
        html`<textarea
          class="input"
          id="reason"
          name="reason"
          required
          maxlength=${REASON_LENGTH}
          aria-describedby="reason-hint"
        ></textarea>`,
      )}
      <div class="buttons">
        <button class=${verb === 'Reactivate' ? 'button button-primary' : 'button button-danger'} type="submit">${verb}</button>
        <a class="button" href=${back}>Cancel</a>
      </div>
    </form>`,
  );
}

function impossible({ status }: Customer) {
  return notice(html`<p>The customer is ${status}, so this is not possible now.</p>`, 'warn');
}

async function findById({ database }: Pick<Service, 'database'>, id: string): Promise<Customer | undefined> {
  return isId(id) ? findCustomer(database.sql, id) : undefined;
}
