// All labels of a customer: found by a part of the name, a page at a time.
import { isId } from '../../../core/ids.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import { card, emptyState, field, icon, pageHeader, pages as pageLinks, table } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import { findCustomer } from '../../../resources/customers/customer.ts';
import { withHeld } from '../../../resources/labels/label.ts';
import { type FoundLabel, findLabelsOf } from '../../../resources/labels/search.ts';
import type { Service } from '../../service/service.ts';
import { CUSTOMERS } from '../addresses.ts';
import { nameOf as nameOfCustomer } from '../customer-name.ts';
import { ledgerHref } from '../ledger/transfer-words.ts';
import type { Pages } from '../screen.ts';
import { labelAmount, nameOf } from './customer-money.ts';

const PAGE_SIZE = 50;
/** Of a name. */
const TEXT_LENGTH = 100;

export function addLabels(pages: Pages, { database: { sql }, clock }: Service): void {
  pages.page(`${CUSTOMERS}/:id/labels`, 'readCustomers', async ({ params, query, may }) => {
    const customer = isId(params.id!) ? await findCustomer(sql, params.id!) : undefined;
    if (!customer) return undefined;
    const { id, accountId } = customer;
    const text = (query.get('search') ?? '').trim().slice(0, TEXT_LENGTH);
    const after = [query.get('after') ?? ''].find(isId);
    const found = await findLabelsOf(sql, [id], { text, after, limit: PAGE_SIZE + 1 });
    const shown = await withHeld(sql, found.slice(0, PAGE_SIZE), clock.now(accountId));
    const href = `${CUSTOMERS}/${id}/labels`;
    const name = nameOfCustomer({ ...customer, businessName: customer.profile.businessName });
    const hrefOf = (more: Record<string, string>) => `${href}?${new URLSearchParams({ ...(text && { search: text }), ...more })}`;
    const next = found.length > PAGE_SIZE ? hrefOf({ after: shown.at(-1)!.id }) : undefined;
    return {
      title: `Labels of ${name}`,
      main: html`${pageHeader({ title: `Labels of ${name}`, lead: 'Newest first.', back: { href: `${CUSTOMERS}/${id}`, label: name }, actions: may('moveMoney') && html`<a class="button" href=${`${href}/new`}>New label</a>` })}
        ${searchForm(href, text)}
        ${card({ title: text ? 'Matches' : 'Labels', isBare: true }, listOf(shown, { href, isFiltered: text !== '', next, mayOpen: may('readMoney') }))}`,
    };
  });
}

function searchForm(href: string, text: string): Html {
  return html`<form class="filters" method="get" action=${href} role="search">
    <div class="grow">
      ${field(
        { id: 'search', label: 'Within the name' },
        html`<input class="input" type="search" id="search" name="search" value=${text} maxlength=${TEXT_LENGTH} autocomplete="off" />`,
      )}
    </div>
    <button class="button" type="submit">${icon('magnifying-glass', 'small')}Search</button>
  </form>`;
}

type Listed = { href: string; isFiltered: boolean; next: string | undefined; mayOpen: boolean };

function listOf(labels: FoundLabel[], { href, isFiltered, next, mayOpen }: Listed): Html {
  if (labels.length === 0) {
    return isFiltered
      ? emptyState({
          icon: 'magnifying-glass',
          title: 'No label matches',
          text: 'Try a part of the name.',
          action: html`<a class="button" href=${href}>Show all labels</a>`,
        })
      : emptyState({ icon: 'tag', title: 'No labels', text: 'All money of this customer is available.' });
  }
  const columns = [
    { label: 'Label' },
    { label: 'Created' },
    { label: 'Entries', isNumber: true },
    { label: 'Amount', isNumber: true },
  ];
  const rows = labels.map((label) => [
    mayOpen ? html`<a href=${ledgerHref(label.id)}>${nameOf(label)}</a>` : nameOf(label),
    time(label.created),
    label.version.toLocaleString('en'),
    labelAmount(label),
  ]);
  const count = labels.length === 1 ? 'One label' : `${labels.length} labels`;
  return html`${table({ caption: 'Labels', columns, rows })} ${pageLinks({ text: next ? `${count} shown, more follow` : count, next })}`;
}
