// Samples of messages, forms and data for the page of the design.
import { type Html, html } from '../../../platform/pages/html.ts';
import { lineChart } from '../../../platform/pages/line-chart.ts';
import {
  badge,
  card,
  copyable,
  emptyState,
  field,
  icon,
  notice,
  pages as pageLinks,
  table,
} from '../../../platform/pages/parts.ts';
import { type Trend, trendChart } from '../../../platform/pages/trend-chart.ts';
import { amountText } from '../amount.ts';

const TONES = ['neutral', 'good', 'warn', 'bad', 'accent'] as const;
const POINTS = [0n, 120_000n, 118_050n, 118_050n, 240_000n, 99_000n, 145_075n];
const DAY_MS = 86_400_000;
const TREND: Trend = {
  from: new Date(Date.UTC(2026, 0, 1)),
  until: new Date(Date.UTC(2026, 0, 2)),
  now: [2, 3, undefined, 5, 4, 0],
  before: [1, 4, 4, 4, 6, 3],
};
const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

export function messageSamples(): Html {
  return card(
    { title: 'Messages' },
    html`<p class="design-row">${TONES.map((tone) => badge(tone, tone))}</p>
      ${TONES.map((tone) => notice(html`<p>A notice with the tone <b>${tone}</b>: what happened, and what to do.</p>`, tone))}
      <p class="small">${badge('hint', 'neutral')} What a person should look for. <span class="muted">This proves nothing.</span></p>
      ${emptyState({
        icon: 'tag',
        title: 'Nothing here yet',
        text: 'What will be here, and how it gets here.',
        action: html`<a class="button" href="/console/design">What to do next</a>`,
      })}
      <p><label for="design-progress">It runs: 40 %</label><progress class="progress" id="design-progress" max="100" value="40"></progress></p>
      ${copyable('whsec_ZGVzaWduIG9mIHRoZSBjb25zb2xl', 'the sample')}`,
  );
}

export function formSamples(): Html {
  const input = (id: string, more: Record<string, unknown> = {}) =>
    html`<input class="input" id=${id} name=${id} autocomplete="off" ...${more} />`;
  return card(
    { title: 'Forms' },
    html`<form method="get" action="/console/design">
      ${field({ id: 'plain', label: 'Text' }, input('plain'))}
      ${field({ id: 'hinted', label: 'With a hint', hint: 'What it is for.' }, input('hinted', { 'aria-describedby': 'hinted-hint', value: 'A value' }))}
      ${field({ id: 'wrong', label: 'Refused', error: 'Say what is wrong, and how it is right.' }, input('wrong', { 'aria-invalid': 'true', 'aria-describedby': 'wrong-error', value: '12,50' }))}
      ${field({ id: 'still', label: 'Disabled' }, input('still', { disabled: true, value: 'Not now' }))}
      ${field({ id: 'day', label: 'Day' }, input('day', { type: 'date' }))}
      ${field({ id: 'file', label: 'File' }, input('file', { type: 'file' }))}
      ${field({ id: 'choice', label: 'Choice' }, html`<select class="input" id="choice" name="choice"><option>One</option><option>Two</option></select>`)}
      ${field({ id: 'suggested', label: 'With suggestions' }, html`${input('suggested', { list: 'suggestions' })}<datalist id="suggestions"><option value="Sales tax …1a2b3c4d">35,000.00 USD available</option></datalist>`)}
      ${field({ id: 'lines', label: 'Lines' }, html`<textarea class="input" id="lines" name="lines" rows="2"></textarea>`)}
      <fieldset>
        <legend>Ticks</legend>
        <label class="choice"><input type="checkbox" name="tick" checked /><span><b>Ticked</b> <span class="muted">with a note</span></span></label>
        <label class="choice"><input type="checkbox" name="tick" /><span>Not ticked</span></label>
        <label class="choice"><input type="checkbox" name="tick" disabled /><span>Disabled</span></label>
      </fieldset>
      <details>
        <summary>What few people need</summary>
        <p>More fields.</p>
      </details>
      <div class="buttons"><button class="button button-primary" type="submit">Send</button><a class="button" href="/console/design">Cancel</a></div>
    </form>`,
  );
}

export function dataSamples(): Html {
  const columns = [{ label: 'Label' }, { label: 'State' }, { label: 'Amount', isNumber: true }];
  const rows = [
    [html`<a href="/console/design">Payroll</a>`, badge('active', 'good'), '40,000.00'],
    [html`<a class="break" href="/console/design">${LONG}</a>`, badge('held', 'warn'), '98,765,432,109.87'],
    [html`<a href="/console/design">Owed</a>`, badge('owed', 'bad'), amountText(-33_945n, 'USD')],
  ];
  const points = POINTS.map((value, index) => ({
    at: new Date(Date.UTC(2026, 0, 1) + index * DAY_MS),
    value: Number(value),
    text: `${amountText(value, 'USD')} USD`,
  }));
  return html`<nav class="tabs" aria-label="Tabs"><a href="/console/design" aria-current="page">Chosen</a><a href="/console/design">Other</a></nav>
    <ul class="grid">
      <li class="card">
        <div class="figure">
          <span class="label">Figure</span><span class="value">1,250.00 <span class="unit">USD</span></span>
          <span class="note">what it counts</span>
        </div>
      </li>
      <li class="card">
        <div class="figure"><span class="label">Nothing yet</span><span class="value">–</span><span class="note">before the first one</span></div>
      </li>
    </ul>
    ${card(
      { title: 'Table', lead: 'Its rows become blocks where there is no room', isBare: true },
      html`${table({ caption: 'Sample of a table', columns, rows })} ${pageLinks({ text: '3 shown, more follow', previous: '/console/design', next: '/console/design' })}`,
    )}
    ${card(
      {
        title: 'Facts and a plot',
        actions: html`<a class="button" href="/console/design">${icon('arrow-down-tray', 'small')}CSV</a>`,
      },
      html`<dl class="facts"><dt>Id</dt><dd class="mono small">01980000-0000-7000-8000-000000000013</dd><dt>Reference</dt><dd>${LONG}</dd></dl>
        ${lineChart({ label: 'Sample of a balance over time', points })}
        ${trendChart({ label: 'Sample of a day beside the day before', trend: TREND, textOf: String })}`,
    )}`;
}
