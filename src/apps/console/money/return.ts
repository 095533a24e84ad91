// Records that the bank returned a deposit or a withdrawal: a form, a confirmation with what each balance is afterwards, and the return.
import { isId } from '../../../core/ids.ts';
import { refuse } from '../../../core/problems.ts';
import { findTransferDetail, type TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { html } from '../../../platform/pages/html.ts';
import { notice, pageHeader } from '../../../platform/pages/parts.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import type { Move } from '../../../resources/moves/move.ts';
import type { Service } from '../../service/service.ts';
import { TRANSFERS as HREF } from '../addresses.ts';
import { amountText, readTypedAmount, type TypedAmount } from '../amount.ts';
import { keyOf, requireFormKey } from '../form-key.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import type { Pages } from '../screen.ts';
import { askingOf, makeMove } from './make-move.ts';
import { type ReturnFields, returnable, returnConfirmation, returnForm } from './return-form.ts';
import { planReturn } from './return-plan.ts';

const CONTROL = /\p{Cc}/u;
const EXTERNAL_ID = /^[!-~]*$/;
const TITLES = { deposit: 'Return a deposit', withdrawal: 'Return a withdrawal' };

export function addReturn(pages: Pages, service: Service): void {
  pages.page(`${HREF}/:id/return`, 'moveMoney', async ({ params, query }) => {
    const original = await find(service, params.id!);
    if (!original) return undefined;
    const now = service.clock.now(original.accountId);
    const fields = readFields(query);
    const isAsked = query.has('reason') && !query.has('edit');
    const checked = isAsked || returnable(original) === 0n ? check(original, fields) : undefined;
    const back = { href: `${HREF}/${original.id}`, label: 'Transfer' };
    if (checked && 'typed' in checked) {
      const plan = await planReturn(service, original, checked);
      const amount = { value: checked.value, currency: original.currency };
      const verb =
        plan.short > 0n
          ? `Record it, ${amountText(plan.short, original.currency)} ${original.currency} is owed`
          : 'Record the return';
      const asking = await askingOf(service, original.accountId, { amount }, verb);
      return {
        title: 'Confirm',
        main: html`${pageHeader({ title: 'Record this return?', back })}
          <div class="narrow">
            ${returnConfirmation(original, { ...fields, amount: checked.value, key: keyOf(query, now) }, { ...plan, ...asking })}
          </div>`,
      };
    }
    return {
      title: TITLES[original.kind],
      main: html`${pageHeader({ title: TITLES[original.kind], back })}
        <div class="narrow">
          ${checked && notice(html`<p>${checked.fault}</p>`, 'bad')} ${returnable(original) > 0n && returnForm(original, fields, now)}
        </div>`,
    };
  });
  pages.action(
    `${HREF}/:id/return`,
    'moveMoney',
    async (visit, form) => {
      const original = await find(service, visit.params.id!);
      const customer = original && (await findCustomer(service.database.sql, original.customerId));
      if (!original || !customer) throw refuse('notFound');
      const move = readReturn(original, form);
      const key = requireFormKey(form, service.clock.now(customer.accountId));
      return makeMove(service, visit, { customer, move, ...key }, ({ id }) => `${HREF}/${id}?done=returned`);
    },
    { from: `${HREF}/:id/return` },
  );
}

type Original = TransferDetail & { kind: 'deposit' | 'withdrawal' };

async function find({ database }: Pick<Service, 'database'>, id: string): Promise<Original | undefined> {
  const transfer = isId(id) ? await findTransferDetail(database.sql, id) : undefined;
  return transfer?.kind === 'deposit' || transfer?.kind === 'withdrawal' ? (transfer as Original) : undefined;
}

function readFields(given: URLSearchParams): ReturnFields {
  const text = (name: string) => (given.get(name) ?? '').trim().slice(0, TEXT_LENGTH);
  return { amount: text('amount'), reason: text('reason'), reference: text('reference'), externalId: text('externalId') };
}

/** What the bank returned, as it is read: all that is left if no amount was given. */
function check(original: Original, fields: ReturnFields): TypedAmount | { fault: string } {
  const { currency } = original;
  const rest = returnable(original);
  if (rest === 0n) return { fault: 'All of it is returned already.' };
  if (fields.reason === '') return { fault: 'Give the reason of the bank.' };
  if (CONTROL.test(fields.reason + fields.reference)) return { fault: 'Reason and reference must be one line of text.' };
  if (!EXTERNAL_ID.test(fields.externalId)) return { fault: 'The external id must be visible ASCII characters without spaces.' };
  const read = readTypedAmount(fields.amount || amountText(rest, currency), currency);
  if ('fault' in read) return read;
  if (read.minorUnits === 0n) return { fault: 'Amount must be greater than zero.' };
  if (read.minorUnits > rest) return { fault: `Only ${amountText(rest, currency)} ${currency} is not returned yet.` };
  return read;
}

/** What the form asks for. A repetition of it, after all was returned, is recognised by its key. */
function readReturn(original: Original, form: URLSearchParams): Move {
  const fields = readFields(form);
  const read = check({ ...original, reversed: 0n }, fields);
  if ('fault' in read) throw refuse('badRequest', { message: read.fault });
  const { reason, reference, externalId } = fields;
  return {
    ...{ kind: 'return', original: original.id, reason },
    amount: { value: read.value, currency: original.currency },
    ...(reference && { reference }),
    ...(externalId && { externalId }),
    ...(original.kind === 'deposit' && form.get('shortfall') === 'owe' && { shortfall: 'owe' as const }),
  };
}
