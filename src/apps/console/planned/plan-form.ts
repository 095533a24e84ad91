// What the forms of holds, schedules, monitors and allocation rules share: the customer with its labels, their fields, and work that is
// done once.
import { isId } from '../../../core/ids.ts';
import { type Fault, invalid, type Refusal, refuse } from '../../../core/problems.ts';
import type { Act } from '../../../ledger/audit/audit.ts';
import { findBalances } from '../../../ledger/transfers/balance.ts';
import type { Database, Sql } from '../../../platform/db/sql.ts';
import { toFault } from '../../../platform/http/errors.ts';
import type { validatorOf } from '../../../platform/http/schemas.ts';
import { idempotently } from '../../../platform/idempotency/idempotently.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, pageHeader } from '../../../platform/pages/parts.ts';
import { type Customer, findCustomer } from '../../../resources/customers/customer.ts';
import type { Label } from '../../../resources/labels/label.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import { readTypedAmount } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { formKey, formRequest, requireFormKey } from '../form-key.ts';
import { findChosen, labelScripts, type Offered, offerLabels } from '../ledger/label-choice.ts';
import type { Content, Visit } from '../screen.ts';

/** A customer, and what can be planned with its money. `now`: by the clock of the account. */
export type Owner = {
  customer: Customer;
  name: string;
  offered: Offered;
  balances: Awaited<ReturnType<typeof findBalances>>;
  now: Date;
};

/** `given`: what its form has so far. */
export async function findOwner(
  service: Pick<Service, 'database' | 'clock'>,
  id: string,
  given: URLSearchParams,
): Promise<Owner | undefined> {
  const { sql } = service.database;
  const customer = isId(id) ? await findCustomer(sql, id) : undefined;
  if (!customer) return undefined;
  const now = service.clock.now(customer.accountId);
  const [balances, offered] = await Promise.all([findBalances(sql, id, now), offerLabels(service, customer, given)]);
  const name = nameOf({ ...customer, businessName: customer.profile.businessName });
  return { customer, name, offered, balances, now };
}

export async function requireOwner(
  service: Pick<Service, 'database' | 'clock'>,
  id: string,
  given: URLSearchParams,
): Promise<Owner> {
  const owner = await findOwner(service, id, given);
  if (!owner) throw refuse('notFound');
  return owner;
}

/** The label that was chosen. `what` names the choice in the refusal. */
export function requireChosenLabel({ offered }: Owner, text: string, what: string): Label {
  const found = findChosen(offered, text, what);
  if ('fault' in found) throw refuse('badRequest', { message: found.fault });
  return found;
}

/** A field as it was given, without the spaces around it. */
export function textIn(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '').trim();
}

/** The fields that were filled in, as members of a request. */
export function givenIn<Name extends string>(form: URLSearchParams, ...names: Name[]): { [K in Name]?: string } {
  const given = names.map((name) => [name, textIn(form, name)]).filter(([, text]) => text !== '');
  return Object.fromEntries(given) as { [K in Name]?: string };
}

/** The amount that a person typed, in the currency of what was chosen. */
export function requireTypedAmount(typed: string, currency: string): { value: string; currency: string } {
  const read = readTypedAmount(typed, currency);
  if ('fault' in read) throw refuse('badRequest', { message: read.fault });
  return { value: read.value, currency };
}

/** Refuses a request that the schema of the resource refuses, with all that is wrong. */
export function requireValid(errorsOf: ReturnType<typeof validatorOf>, request: unknown): void {
  const [first, ...rest] = errorsOf(request).map(toFault);
  if (first) throw invalid(first, ...rest);
}

/** A refusal whose message has every fault. `placeOf`: says where in the form a fault is. */
export function withAllFaults(refusal: Refusal, placeOf: (fault: Fault) => string = () => ''): Refusal {
  const { faults } = refusal.details;
  if (!faults) return refusal;
  const texts = new Set(faults.map((fault) => `${placeOf(fault)}${fault.message}`));
  return refuse(refusal.problem, { ...refusal.details, message: [...texts].join(' ') });
}

/** Members of a request that can be erased with the customer. An entry of the audit log cannot, so it has none of them. */
const TEXTS = ['name', 'reference', 'externalId'];

/** What a form does: `type` of the record, the request to compare repetitions with, and the work, which returns the id of the record. */
type Step = {
  customer: Customer;
  path: string;
  action: Act['action'];
  type: string;
  request: object;
  database: Pick<Database, 'transaction'>;
  work: (tx: Sql, now: Date) => Promise<string>;
};

/** Does the work of a form once, by the verbs of the API. Nothing is done without a row of who asked for it. */
export async function doOnce(service: Service, { audit }: Visit, form: URLSearchParams, step: Step): Promise<string> {
  const { customer, path, action, type, request, database, work } = step;
  const { id, accountId, bucket } = customer;
  const { key, shown } = requireFormKey(form, service.clock.now(accountId));
  const kept = Object.entries(request).filter(([name]) => !TEXTS.includes(name));
  const detail = { ...Object.fromEntries(kept), key: shown };
  // Before the change: its transaction may be on another server than the audit log.
  await audit({ action: 'ask_for_plan', resource: { type: 'customer', id }, detail: { ...detail, action } });
  const used = { ...service, database };
  const { resource } = await idempotently(used, formRequest(path, { accountId, body: request, key }), bucket, async (tx) => {
    return { status: 201, resource: { type, id: await work(tx, service.clock.now(accountId)) } };
  });
  await audit({ action, resource: { type, id: resource.id }, detail });
  return resource.id;
}

type Input = { id: string; label: string; hint?: string; value?: string | undefined; type?: string; isRequired?: boolean };

export function input({ id, label, hint, value, type = 'text', isRequired = false }: Input, isAmount = false): Html {
  return field(
    { id, label, hint },
    html`<input class="input" type=${type} id=${id} name=${id} value=${value ?? ''} required=${isRequired} inputmode=${isAmount ? 'decimal' : undefined}
      autocomplete="off" aria-describedby=${hint && `${id}-hint`} />`,
  );
}

/** `isFirstStep`: another page asks before anything is done. */
type Form = { title: string; lead: string; action: string; verb: string; isFirstStep?: boolean };

/** A page with one form, which is sent to its own path. */
export function formPage(owner: Owner, { title, lead, action, verb, isFirstStep }: Form, fields: Html): Content {
  const back = { href: `${CUSTOMERS}/${owner.customer.id}`, label: owner.name };
  return {
    title,
    scripts: labelScripts(owner.offered),
    main: html`${pageHeader({ title, back })}
      <div class="narrow">
        ${card(
          { title: 'Terms', lead },
          html`<form method=${isFirstStep ? 'get' : 'post'} action=${action}>
            ${formKey(owner.now)} ${fields}
            <div class="buttons">
              <button class="button button-primary" type="submit">${verb}</button>
              <a class="button" href=${back.href}>Cancel</a>
            </div>
          </form>`,
        )}
      </div>`,
  };
}

/** The page of a form that needs labels or money which the customer does not have yet. */
export function missingPage(owner: Owner, { title, missing }: { title: string; missing: string }): Content {
  const back = { href: `${CUSTOMERS}/${owner.customer.id}`, label: owner.name };
  return {
    title,
    main: html`${pageHeader({ title, back })}
      <div class="narrow">${card(
        { title: 'Not possible yet' },
        html`<p>${missing}</p>
          <a class="button" href=${back.href}>Back to the customer</a>`,
      )}</div>`,
  };
}
