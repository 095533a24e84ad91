// Makes a hold, a schedule, a monitor or an allocation rule: a form, and the verb of the API, once per form.
import { Refusal } from '../../../core/problems.ts';
import type { Act } from '../../../ledger/audit/audit.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Html } from '../../../platform/pages/html.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import type { Pages, Visit } from '../screen.ts';
import { doOnce, findOwner, formPage, missingPage, type Owner, requireOwner } from './plan-form.ts';

/**
 * `folder`: of the address, such as `holds`. `done`: the message afterwards. `isNear`: it moves or locks money. `missing`: why it is not
 * possible yet. `read`: what the form asks for; `request` of it is compared with that of a repetition. `check`: throws what `explain` explains
 * too.
 */
type Creating<Read extends { request: object }> = {
  folder: string;
  action: Act['action'];
  type: string;
  done: string;
  isNear: boolean;
  title: string;
  lead: string;
  verb: string;
  missing(owner: Owner): string | undefined;
  fields(owner: Owner, visit: Visit): Html;
  read(owner: Owner, form: URLSearchParams, visit: Visit): Read | Promise<Read>;
  check?(read: Read): void;
  create(tx: Sql, owner: Owner, read: Read, now: Date): Promise<string>;
  explain?(refusal: Refusal, read: Read): Refusal;
};

export function addCreating<Read extends { request: object }>(pages: Pages, service: Service, creating: Creating<Read>): void {
  const { folder, action, type, done, isNear, title, lead, verb, missing, fields, read, check, create, explain } = creating;
  const path = `${CUSTOMERS}/:id/${folder}/new`;
  const hrefOf = ({ customer }: Owner) => `${CUSTOMERS}/${customer.id}/${folder}/new`;
  pages.page(path, 'moveMoney', async (visit) => {
    const owner = await findOwner(service, visit.params.id!, visit.query);
    if (!owner) return undefined;
    const why = missing(owner);
    if (why !== undefined) return missingPage(owner, { title, missing: why });
    return formPage(owner, { title, lead, verb, action: hrefOf(owner) }, fields(owner, visit));
  });
  pages.action(
    path,
    'moveMoney',
    async (visit, form) => {
      const owner = await requireOwner(service, visit.params.id!, form);
      const { customer } = owner;
      const given = await read(owner, form, visit);
      try {
        check?.(given);
        await doOnce(service, visit, form, {
          ...{ customer, path: hrefOf(owner), action, type, request: given.request },
          database: isNear ? service.groups.near(customer.bucket) : service.database,
          work: (tx, now) => create(tx, owner, given, now),
        });
      } catch (error) {
        throw explain && error instanceof Refusal ? explain(error, given) : error;
      }
      return `${CUSTOMERS}/${customer.id}?done=${done}#planned`;
    },
    { from: path },
  );
}
