// The two lists of documents: those that wait, and those that are decided.
import { type Html, html } from '../../../platform/pages/html.ts';
import { DECIDED, REVIEW } from './address.ts';

const LISTS = {
  waiting: { href: REVIEW, label: 'Waiting' },
  decided: { href: DECIDED, label: 'Decided' },
};

export function queueTabs(current: keyof typeof LISTS): Html {
  return html`<nav class="tabs" aria-label="Lists of documents">
    ${Object.entries(LISTS).map(([name, { href, label }]) => html`<a href=${href} aria-current=${name === current ? 'page' : undefined}>${label}</a>`)}
  </nav>`;
}
