// The design of the console on one page of a sandbox: colours, type, and every component in every state, for who builds a screen.
import { type Html, html } from '../../../platform/pages/html.ts';
import { ICONS } from '../../../platform/pages/icon-sprite.ts';
import { card, icon, pageHeader } from '../../../platform/pages/parts.ts';
import type { Pages } from '../screen.ts';
import { dataSamples, formSamples, messageSamples } from './samples.ts';

const TOKENS = {
  Surfaces: ['page', 'surface', 'sunken', 'line', 'line-strong'],
  Text: ['text', 'muted'],
  Accent: ['accent', 'accent-strong', 'accent-soft', 'on-accent'],
  Meaning: ['good', 'good-soft', 'warn', 'warn-soft', 'bad', 'bad-soft', 'bad-fill', 'on-bad'],
  Series: ['series-1', 'series-2', 'series-3', 'series-4'],
};
const RULES = [
  'A page has one primary button. What stops something, or cannot be undone, is red, and leads to a question first.',
  'Colour never says something alone: a badge has a word, and a notice an icon.',
  'Amounts are right-aligned, in figures of one width, with their currency. A minus is −.',
  'Times are in the zone of the person, which the bar names.',
  'An empty list says what will be there, and how it gets there.',
  'A message says what happened, and what to do. A refused form keeps what was typed.',
  'Everything works at 375 pixels, by keyboard, and without a script, in both themes.',
];

export function addDesign(pages: Pages): void {
  pages.page('/console/design', 'useSandbox', async () => ({
    title: 'Design',
    scripts: ['copy.js'],
    main: html`${pageHeader({ title: 'Design', lead: 'Every component in every state. A screen is made of these only.', back: { href: '/console/sandbox', label: 'Sandbox' } })}
      ${card({ title: 'Rules' }, html`<ul>${RULES.map((rule) => html`<li>${rule}</li>`)}</ul>`)} ${colours()} ${type()} ${buttons()}
      ${messageSamples()} ${formSamples()} ${dataSamples()} ${icons()}`,
  }));
}

function colours(): Html {
  return card(
    { title: 'Colours', lead: 'Custom properties of shell.css, each with a value for light and dark' },
    Object.entries(TOKENS).map(
      ([name, tokens]) => html`<h3>${name}</h3>
        <ul class="design-list">
          ${tokens.map(
            (token) => html`<li>
              <svg class="design-colour" viewBox="0 0 40 24" aria-hidden="true"><rect width="40" height="24" rx="4" fill=${`var(--${token})`} /></svg>
              <code>--${token}</code>
            </li>`,
          )}
        </ul>`,
    ),
  );
}

function type(): Html {
  return card(
    { title: 'Type' },
    html`<p>Body text in Inter, with <b>emphasis</b>, a <a href="/console/design">link</a> and <code>code</code>.</p>
      <p class="muted">Muted: what is known already, or of less weight.</p>
      <p class="small">Small: ids, hints and notes.</p>
      <p class="mono">01980000-0000-7000-8000-000000000013</p>
      <h3>A heading within a card</h3>`,
  );
}

function buttons(): Html {
  const kinds = [
    { className: 'button button-primary', text: 'Primary' },
    { className: 'button', text: 'Plain' },
    { className: 'button button-danger', text: 'Danger' },
    { className: 'button button-quiet', text: 'Quiet' },
    { className: 'button button-small', text: 'Small' },
  ];
  return card(
    { title: 'Buttons', lead: 'A link that leads to a form or a question ends with …' },
    html`<p class="buttons">${kinds.map(({ className, text }) => html`<button class=${className} type="button">${text}</button>`)}</p>
      <p class="buttons">
        ${kinds.map(({ className, text }) => html`<button class=${className} type="button" disabled>${text}, disabled</button>`)}
      </p>
      <p class="buttons">
        <a class="button" href="/console/design">${icon('arrow-down-tray', 'small')}With an icon</a>
        <a class="button" href="/console/design" aria-current="true">Chosen</a>
        <button class="button button-icon" type="button" aria-label="Search">${icon('magnifying-glass')}</button>
      </p>`,
  );
}

function icons(): Html {
  return card(
    { title: 'Icons', lead: 'Of heroicons, in the colour of the text' },
    html`<ul class="design-list">${ICONS.map((name) => html`<li>${icon(name)} <code>${name}</code></li>`)}</ul>`,
  );
}
