// Limits of what one person moves for an account: above them a second person of finance confirms.
import { refuse } from '../../../core/problems.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, field, table } from '../../../platform/pages/parts.ts';
import { makeChange } from '../../../resources/change-requests/make-change.ts';
import { listMoveLimits, type MoveLimit } from '../../../resources/moves/limit.ts';
import type { Service } from '../../service/service.ts';
import { amountText, readTypedAmount } from '../amount.ts';
import { actorOf, requestHref } from '../requests/request-href.ts';
import type { Pages } from '../screen.ts';

const HREF = '/console/policies';

export function addMoveLimits(pages: Pages, service: Service): void {
  pages.action(
    `${HREF}/:id/limits`,
    'setPolicies',
    async (visit, form) => {
      const accountId = visit.params.id!;
      const currency = (form.get('currency') ?? '').trim().toUpperCase();
      const typed = (form.get('amount') ?? '').trim();
      const wanted = {
        kind: 'set_move_limit',
        accountId,
        currency,
        amount: typed === '' ? null : readLimit(typed, currency),
      } as const;
      const made = await makeChange(service, actorOf(visit), wanted);
      return made.waits === undefined ? `${HREF}/${accountId}?done=limited#limits` : requestHref(made.waits);
    },
    { from: `${HREF}/:id` },
  );
}

function readLimit(typed: string, currency: string): string {
  const read = readTypedAmount(typed, currency);
  if ('fault' in read) throw refuse('badRequest', { message: read.fault });
  return read.value;
}

export async function moveLimitsCard({ database }: Pick<Service, 'database'>, accountId: string): Promise<Html> {
  const limits = await listMoveLimits(database.sql, accountId);
  const lead =
    limits.length === 0
      ? 'No limit: one person moves any amount.'
      : 'Above its limit, a move of a person waits for a second one.';
  return html`<div id="limits">
    ${card(
      { title: 'Second person for money', lead },
      html`${limits.length > 0 && limitTable(limits)}
        <form class=${limits.length > 0 ? 'form-end' : undefined} method="post" action=${`${HREF}/${accountId}/limits`}>
          ${field(
            { id: 'currency', label: 'Currency' },
            html`<input class="input input-short" id="currency" name="currency" required maxlength="3" value="USD" autocomplete="off" />`,
          )}
          ${field(
            {
              id: 'amount',
              label: 'One person moves up to',
              hint: 'Empty removes the limit. A higher limit, or none, may need a second administrator.',
            },
            html`<input class="input" id="amount" name="amount" inputmode="decimal" autocomplete="off" aria-describedby="amount-hint" />`,
          )}
          <button class="button" type="submit">Set the limit</button>
        </form>`,
    )}
  </div>`;
}

function limitTable(limits: MoveLimit[]): Html {
  const columns = [{ label: 'Currency' }, { label: 'One person moves up to', isNumber: true }];
  const rows = limits.map(({ currency, amount }) => [currency, amountText(amount, currency)]);
  return table({ caption: 'Limits of one person', columns, rows });
}
