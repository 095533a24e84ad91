// The form of a return, and its confirmation.
import { formatAmount } from '../../../core/money/money.ts';
import type { TransferDetail } from '../../../ledger/transfers/transfer-detail.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, notice } from '../../../platform/pages/parts.ts';
import { TRANSFERS as HREF } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { formKey } from '../form-key.ts';
import { TEXT_LENGTH } from '../ledger/ledger-query.ts';
import { kindBadge } from '../ledger/transfer-words.ts';
import { balancesAfterwards, sendingForm } from './move-form.ts';
import type { ReturnPlan } from './return-plan.ts';

export type ReturnFields = Record<'amount' | 'reason' | 'reference' | 'externalId', string>;

/** What is not returned yet, in minor units; 0 for what is neither a deposit nor a withdrawal. */
export function returnable({ kind, amount, reversed }: TransferDetail): bigint {
  return kind === 'deposit' || kind === 'withdrawal' ? amount - reversed : 0n;
}

export function returnForm(original: TransferDetail, fields: ReturnFields, now: Date): Html {
  const { id, kind, currency } = original;
  const rest = returnable(original);
  const lead =
    kind === 'deposit'
      ? 'The bank took the money of a deposit back, such as after a bounced direct debit or a chargeback.'
      : 'The money of a withdrawal came back, because the bank of the receiver refused it.';
  return card(
    { title: 'What the bank returned', lead },
    html`<form method="get" action=${`${HREF}/${id}/return`}>
      ${formKey(now)}
      ${field(
        { id: 'amount', label: `Amount in ${currency}`, hint: `${amountText(rest, currency)} ${currency} is not returned yet.` },
        html`<input class="input" id="amount" name="amount" value=${fields.amount || formatAmount(rest, currency).value} required inputmode="decimal" autocomplete="off" aria-describedby="amount-hint" />`,
      )}
      ${field(
        { id: 'reason', label: 'Reason of the bank', hint: 'Its code or words, such as R01 insufficient funds.' },
        html`<input class="input" id="reason" name="reason" value=${fields.reason} required maxlength=${TEXT_LENGTH} autocomplete="off" aria-describedby="reason-hint" />`,
      )}
      ${field(
        {
          id: 'externalId',
          label: 'External id',
          hint: 'Optional. The id of the line of the bank: no two returns have the same.',
        },
        html`<input class="input" id="externalId" name="externalId" value=${fields.externalId} maxlength=${TEXT_LENGTH} autocomplete="off" aria-describedby="externalId-hint" />`,
      )}
      ${field(
        { id: 'reference', label: 'Reference', hint: 'Optional. Stands on statements.' },
        html`<input class="input" id="reference" name="reference" value=${fields.reference} maxlength=${TEXT_LENGTH} autocomplete="off" aria-describedby="reference-hint" />`,
      )}
      <div class="buttons">
        <button class="button button-primary" type="submit">Continue</button>
        <a class="button" href=${`${HREF}/${id}`}>Cancel</a>
      </div>
    </form>`,
  );
}

export function returnConfirmation(
  { id, kind, currency }: TransferDetail,
  { key, ...fields }: ReturnFields & { key: string },
  { amount, changes, short, verb, asks }: ReturnPlan & { verb: string; asks: Html },
): Html {
  const money = (minorUnits: bigint) => `${amountText(minorUnits, currency)} ${currency}`;
  const facts = [
    ['Reason', fields.reason],
    ['External id', fields.externalId],
    ['Reference', fields.reference],
  ] as const;
  const sending = {
    action: `${HREF}/${id}/return`,
    hidden: { ...fields, key, ...(short > 0n && { shortfall: 'owe' }) },
    back: `${HREF}/${id}/return?${new URLSearchParams({ ...fields, edit: 'yes' })}`,
    ...{ verb, asks },
  };
  return html`${
    short > 0n &&
    notice(
      html`<p><b>The customer has ${amount === short ? 'nothing' : `only ${money(amount - short)}`} of it.</b> ${money(short)} is recorded as owed, and the
        next deposits pay it before anything else.</p>`,
      'warn',
    )
  }
  ${balancesAfterwards(changes, { currency, title: money(amount), lead: kindBadge(`${kind as 'deposit' | 'withdrawal'}-return`) })}
  <dl class="facts">${facts.map(([name, value]) => value !== '' && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
  ${sendingForm(sending)}`;
}
