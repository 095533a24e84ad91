// One hold: its terms, what became of it, and the transfers that captured it.
import { bucketOf, isId } from '../../../core/ids.ts';
import { findLedgerAccount } from '../../../ledger/transfers/ledger-account.ts';
import { findCaptures } from '../../../ledger/transfers/transfer.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { badge, card, emptyState, pageHeader, pages as pageLinks } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { findHold, type Hold } from '../../../resources/holds/hold.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS, holdHref } from '../addresses.ts';
import { amountText } from '../amount.ts';
import { nameOf } from '../customer-name.ts';
import { describeTransfers, transferTable } from '../ledger/transfer-table.ts';
import { sideLink } from '../ledger/transfer-words.ts';
import type { Pages } from '../screen.ts';

const CAPTURES_MAX = 100;
const TONES = { pending: 'accent', captured: 'good', released: 'neutral', expired: 'warn' } as const;

export function addHoldPage(pages: Pages, { database: { sql }, clock }: Service): void {
  pages.page(`${CUSTOMERS}/:id/holds/:part`, 'readMoney', async ({ params, may }) => {
    const hold = isId(params.part!) ? await findHold(sql, params.part!) : undefined;
    if (!hold || hold.customerId !== params.id) return undefined;
    const customer = (await findCustomer(sql, hold.customerId))!;
    const [of, captures] = await Promise.all([
      findLedgerAccount(sql, hold.ledgerAccountId),
      findCaptures(sql, bucketOf(hold.id), [hold.id], CAPTURES_MAX),
    ]);
    const found = captures.get(hold.id)?.toReversed() ?? [];
    const described = await describeTransfers(sql, found, { withCustomers: false });
    const now = clock.now(hold.accountId);
    const state = hold.status === 'pending' && hold.expires <= now ? 'expired' : hold.status;
    const path = holdHref({ customerId: customer.id, holdId: hold.id });
    return {
      title: 'Hold',
      main: html`${pageHeader({
        title: `Hold of ${amountText(hold.amount, hold.currency)} ${hold.currency}`,
        lead: html`${badge(state, TONES[state])} since ${time(hold.created)}`,
        back: {
          href: `${CUSTOMERS}/${customer.id}#planned`,
          label: nameOf({ ...customer, businessName: customer.profile.businessName }),
        },
        actions:
          state === 'pending' &&
          may('moveMoney') &&
          html`<a class="button" href=${`${path}/capture`}>Capture</a> <a class="button" href=${`${path}/release`}>Release</a>`,
      })}
      ${card({ title: 'Terms' }, html`<dl class="facts">${factsOf(hold, of && sideLink(of)).map(([name, value]) => value && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`)}
      ${card(
        { title: 'Captures', isBare: true },
        found.length === 0
          ? emptyState({
              icon: 'arrows-right-left',
              title: 'Nothing captured',
              text: 'A capture moves held money, and appears here.',
            })
          : html`${transferTable(described)} ${pageLinks({ text: found.length === 1 ? 'One capture' : `The last ${found.length} captures` })}`,
      )}`,
    };
  });
}

function factsOf(hold: Hold, of: Html): [name: string, value: Html][] {
  const { id, amount, captured, currency, expires, closed, reference, correlationId, externalId } = hold;
  const money = (minorUnits: bigint) => `${amountText(minorUnits, currency)} ${currency}`;
  return [
    ['Id', html`<span class="mono small">${id}</span>`],
    ['Of', of],
    ['Amount', money(amount)],
    ['Captured', money(captured)],
    ['Expires', time(expires)],
    ['Ended', closed && time(closed)],
    ['Reference', reference],
    ['Correlation id', correlationId],
    ['External id', externalId && html`<span class="mono small">${externalId}</span>`],
  ];
}
