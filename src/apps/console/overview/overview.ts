// The first screen: what the service holds and does, and what is wrong.
import { VERSION } from '../../../core/version.ts';
import { type Held, heldByCurrency } from '../../../ledger/transfers/balance.ts';
import { barChart } from '../../../platform/pages/bar-chart.ts';
import { type Html, html } from '../../../platform/pages/html.ts';
import type { IconName } from '../../../platform/pages/icon-sprite.ts';
import { card, emptyState, icon, notice, pageHeader } from '../../../platform/pages/parts.ts';
import { time } from '../../../platform/pages/time.ts';
import type { Sample } from '../../jobs/samples.ts';
import type { Service } from '../../service/service.ts';
import { amountText } from '../amount.ts';
import { cached } from '../cached.ts';
import { agoText, bytesText, durationText } from '../quantity.ts';
import type { Screen, Visit } from '../screen.ts';
import { accountsAhead, type Figures, isLarge, readFigures, readStates } from './figures.ts';
import { leadOf } from './leads.ts';
import { trendCards } from './trend-cards.ts';
import { readTrends, type Unusual } from './trends.ts';

const KEPT_MS = 30_000;
/** Accounts that are named in a notice. */
const NAMED_MAX = 3;

export const overview: Screen = {
  href: '/console',
  label: 'Overview',
  icon: 'squares-2x2',
  group: 'Work',
  permission: 'readOverview',
  add(pages, service) {
    const { database, log } = service;
    const report = (error: unknown) => log.error({ err: error }, 'the figures of the overview cannot be read');
    const figures = cached(KEPT_MS, () => readFigures(service), report);
    const held = cached(KEPT_MS, () => heldByCurrency(database), report);
    const currentFigures = async () => (await figures.current()) ?? figures.refresh();
    // The time to add up a large ledger is the sum of its slices: the page shows what was sampled before.
    const currentHeld = async () => (await held.current()) ?? ((await isLarge(database)) ? undefined : held.refresh());
    pages.page('/console', 'readOverview', async (visit) => {
      const [{ value, read }, counted, states, ahead, trends] = await Promise.all([
        currentFigures(),
        currentHeld(),
        readStates(service),
        accountsAhead(service),
        readTrends(database.sql, new Date()),
      ]);
      const oldest = counted && counted.read < read ? counted.read : read;
      return {
        title: 'Overview',
        styles: ['overview.css'],
        scripts: ['progress.js'],
        main: html`${pageHeader({ title: 'Overview', lead: html`Balances and activity as of ${time(oldest, 'seconds')}` })}
        ${brokenNotice(states.check.broken)} ${unusualNotice(visit, [...failingNow(states, trends.unusual), ...trends.unusual])} ${clockNotice(ahead)} ${counted ? heldGrid(visit, counted.value) : sampledGrid(visit, trends.last)}
        ${stateGrid(visit, states)}
        <div class="columns columns-wide">${hourCard(visit, value.hour)} ${serviceCard(visit, service, value.bytes)}</div>
        ${trendCards(visit, trends)}`,
      };
    });
  },
};

type States = Awaited<ReturnType<typeof readStates>>;

function brokenNotice(broken: string[]): Html {
  return (
    broken.length > 0 &&
    notice(
      html`<p><b>The ledger check found violations</b> of ${broken.join(', ')}. Run <code>earmark verify --full</code> for the rows.</p>`,
      'bad',
    )
  );
}

/** Subscriptions that fail now, before a share of the last hour says so. */
function failingNow({ subscriptions: { failing, active } }: States, unusual: Unusual[]): Unusual[] {
  if (failing === 0 || unusual.some(({ about }) => about === 'webhooks')) return [];
  const text = `${failing.toLocaleString('en')} of ${active.toLocaleString('en')} active subscriptions ${failing === 1 ? 'fails' : 'fail'} now.`;
  return [{ text, about: 'webhooks' }];
}

function unusualNotice(visit: Visit, unusual: Unusual[]): Html {
  if (unusual.length === 0) return undefined;
  const items = unusual.map(({ text, about }) => {
    const href = leadOf(visit, about);
    return html`<li>${text} ${href && html`<a href=${href}>Look</a>`}</li>`;
  });
  return notice(html`<p><b>Unusual in the last hour</b></p><ul>${items}</ul>`, 'warn');
}

/** The page is about all accounts, so it has one clock: that of the machine. */
function clockNotice(ahead: Awaited<ReturnType<typeof accountsAhead>>): Html {
  if (ahead.length === 0) return undefined;
  const names = ahead.slice(0, NAMED_MAX).map(({ name, aheadMs }) => `${name} (${durationText(aheadMs)})`);
  const rest = ahead.length > NAMED_MAX ? ` and ${ahead.length - NAMED_MAX} more` : '';
  return notice(
    html`<p>Clocks are ahead in ${names.join(', ')}${rest}. This page counts by the real clock, also what those accounts date later.</p>`,
  );
}

function heldGrid(visit: Visit, held: Held[]): Html {
  if (held.length === 0) {
    return card(
      { title: 'Money held' },
      emptyState({ icon: 'scale', title: 'No money yet', text: 'Balances appear here after the first deposit.' }),
    );
  }
  return heldCards(
    visit,
    held.map(({ customers, ...rest }) => ({
      ...rest,
      note: customers === 1 ? 'by one customer' : `by ${customers.toLocaleString('en')} customers`,
    })),
  );
}

/** What was held at a sample, while the balances are added up. */
function sampledGrid(visit: Visit, sample: Sample | undefined): Html {
  if (!sample) {
    const note = 'the balances of all customers are added up';
    return html`<ul class="grid" data-reload>
      <li class="card">${figure({ icon: 'scale', label: 'Money held', value: '…', note })}</li>
    </ul>`;
  }
  const held = Object.entries(sample.figures.held).sort(([one], [other]) => (one < other ? -1 : 1));
  return html`<div data-reload>
    ${heldCards(
      visit,
      held.map(([currency, held]) => ({ currency, held: BigInt(held), note: html`as of ${time(sample.at)}` })),
    )}
  </div>`;
}

function heldCards({ may }: Visit, held: { currency: string; held: bigint; note: Html }[]): Html {
  return html`<ul class="grid">
    ${held.map(
      ({ currency, held, note }) => html`<li class="card">
        ${figure({
          icon: 'scale',
          label: `Money held in ${currency}`,
          value: amountText(held, currency),
          unit: currency,
          note,
          ...(may('readMoney') && { href: `/console/money` }),
        })}
      </li>`,
    )}
  </ul>`;
}

function resultOf({ last, broken, isFailing }: States['check']): string {
  if (broken.length > 0) return 'Failed';
  if (isFailing) return 'Ends with an error';
  return last ? 'Passed' : 'Not run yet';
}

function stateGrid({ may }: Visit, { reviews, subscriptions, check }: States): Html {
  const figures: Figure[] = [
    {
      icon: 'identification',
      label: 'Documents to review',
      value: reviews.pending.toLocaleString('en'),
      note: reviews.oldest ? `the oldest waits for ${agoText(reviews.oldest)}` : 'nothing waits',
      ...(may('reviewDocuments') && { href: '/console/review' }),
    },
    {
      icon: 'bolt',
      label: 'Failing subscriptions',
      value: subscriptions.failing.toLocaleString('en'),
      note: `${subscriptions.active} active, ${subscriptions.paused} paused`,
      ...(may('manageWebhooks') && { href: '/console/webhooks' }),
    },
    {
      icon: 'shield-check',
      label: 'Ledger check',
      value: resultOf(check),
      note: check.last
        ? html`${time(check.last.finished)}, took ${durationText(check.last.durationMs)}`
        : 'the first run follows the start',
      ...(may('readOperations') && { href: '/console/operations' }),
    },
  ];
  return html`<ul class="grid">
    ${figures.map((item) => html`<li class="card">${figure(item)}</li>`)}
  </ul>`;
}

type Figure = { icon: IconName; label: string; value: string; unit?: string; note: Html; href?: string };

function figure({ icon: name, label, value, unit, note, href }: Figure): Html {
  const content = html`<span class="label">${icon(name, 'small')}${label}</span>
    <span class="value">${value} ${unit && html`<span class="unit">${unit}</span>`}</span>
    <span class="note">${note}</span>`;
  return href ? html`<a class="figure" href=${href}>${content}</a>` : html`<div class="figure">${content}</div>`;
}

function hourCard({ may }: Visit, bars: Figures['hour']): Html {
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const text = `${total.toLocaleString('en')} ${total === 1 ? 'reallocation' : 'reallocations'}, by minute`;
  return card(
    {
      title: 'Last hour',
      lead: text,
      actions: may('readMoney') && html`<a href="/console/money">Transfers</a>`,
    },
    total === 0
      ? emptyState({ icon: 'clock', title: 'Nothing moved', text: 'The next reallocation appears here within a minute.' })
      : barChart({ label: `Last hour: ${text}`, bars, unit: 'reallocations' }),
  );
}

function serviceCard({ may }: Visit, { config }: Service, bytes: bigint): Html {
  return card(
    { title: 'Service', actions: may('readOperations') && html`<a href="/console/operations">Operations</a>` },
    html`<dl class="facts">
      <dt>Version</dt>
      <dd>${VERSION}</dd>
      <dt>Mode</dt>
      <dd>${config.mode}</dd>
      <dt>This process runs for</dt>
      <dd>${durationText(process.uptime() * 1000)}</dd>
      <dt>Database size</dt>
      <dd>${bytesText(bytes)}</dd>
    </dl>`,
  );
}
