// Ends a hold, a schedule, a monitor or an allocation rule, or pauses a schedule: a question, and the verb of the API, once per form.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import type { Act } from '../../../ledger/audit/audit.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Html } from '../../../platform/pages/html.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import { keyOf } from '../form-key.ts';
import { question } from '../question.ts';
import type { Pages } from '../screen.ts';
import { doOnce, findOwner, type Owner, requireOwner } from './plan-form.ts';

type Planned = { id: string; accountId: string; customerId: string };

/**
 * `folder`, `word`: of the address, such as `holds` and `release`. `done`: the message afterwards. `isNear`: it moves or locks money.
 * `isStart`: it lets money move again.
 */
type Ending<Part extends Planned> = {
  folder: string;
  word: string;
  action: Act['action'];
  type: string;
  done: string;
  isNear: boolean;
  isStart?: boolean;
  title: string;
  verb: string;
  find(sql: Sql, id: string): Promise<Part | undefined>;
  effect(part: Part): Html;
  factsOf(part: Part, owner: Owner): [name: string, value: Html][];
  end(tx: Sql, part: Part, now: Date): Promise<string>;
};

export function addEnding<Part extends Planned>(pages: Pages, service: Service, ending: Ending<Part>): void {
  const { folder, word, action, type, done, isNear, isStart = false, title, verb, find, effect, factsOf, end } = ending;
  const path = `${CUSTOMERS}/:id/${folder}/:part/${word}`;
  const findPart = async ({ customer }: Owner, id: string) => {
    const part = isId(id) ? await find(service.database.sql, id) : undefined;
    return part?.customerId === customer.id ? part : undefined;
  };
  pages.page(path, 'moveMoney', async ({ params, query }) => {
    const owner = await findOwner(service, params.id!, query);
    const part = owner && (await findPart(owner, params.part!));
    if (!owner || !part) return undefined;
    return question({
      ...{ title, verb, isStart, effect: effect(part), facts: factsOf(part, owner), hidden: { key: keyOf(query, owner.now) } },
      back: { href: `${CUSTOMERS}/${owner.customer.id}`, label: owner.name },
      action: `${CUSTOMERS}/${owner.customer.id}/${folder}/${part.id}/${word}`,
    });
  });
  pages.action(
    path,
    'moveMoney',
    async (visit, form) => {
      const owner = await requireOwner(service, visit.params.id!, form);
      const { customer } = owner;
      const part = await findPart(owner, visit.params.part!);
      if (!part) throw refuse('notFound');
      await doOnce(service, visit, form, {
        ...{ customer, action, type, request: { id: part.id } },
        path: `${CUSTOMERS}/${customer.id}/${folder}/${part.id}/${word}`,
        database: isNear ? service.groups.near(customer.bucket) : service.database,
        work: (tx, now) => end(tx, part, now),
      });
      return `${CUSTOMERS}/${customer.id}?done=${done}#planned`;
    },
    { from: path },
  );
}
