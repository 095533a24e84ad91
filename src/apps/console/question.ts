// A page that asks before something is stopped, and a page that shows a secret once.
import { type Html, html } from '../../platform/pages/html.ts';
import { card, copyable, notice, pageHeader } from '../../platform/pages/parts.ts';
import type { Content } from './screen.ts';

type Question = {
  title: string;
  back: { href: string; label: string };
  /** What happens, in a sentence. */
  effect: Html;
  /** What is known about the use of it. */
  facts?: [name: string, value: Html][];
  /** The path that the form is sent to, with its hidden fields. */
  action: string;
  hidden?: Record<string, string>;
  verb: string;
  /** Without it the button is that of something which stops or ends. */
  isStart?: boolean;
};

export function question({ title, back, effect, facts = [], action, hidden = {}, verb, isStart }: Question): Content {
  return {
    title,
    main: html`${pageHeader({ title, back })}
      <div class="narrow">
        ${card(
          { title: 'What happens' },
          html`<p>${effect}</p>
            ${facts.length > 0 && html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`}
            <form class="form-end" method="post" action=${action}>
              ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
              <div class="buttons">
                <button class=${`button ${isStart ? 'button-primary' : 'button-danger'}`} type="submit">${verb}</button>
                <a class="button" href=${back.href}>Cancel</a>
              </div>
            </form>`,
        )}
      </div>`,
  };
}

type Once = {
  title: string;
  back: { href: string; label: string };
  note: string;
  /** Undefined after the first view. */
  values: [label: string, value: string][] | undefined;
  /** What to do when it was not copied. */
  remedy: string;
};

export function shownOnce({ title, back, note, values, remedy }: Once): Content {
  return {
    title,
    scripts: ['copy.js'],
    main: html`${pageHeader({ title, back })}
      <div class="narrow">
        ${
          values
            ? html`${notice(html`<p>${note}</p>`, 'warn')}
              ${values.map(
                ([label, value]) => html`<h2>${label}</h2>
                  ${copyable(value, label)}`,
              )}`
            : notice(html`<p>It was shown once, and is not shown again. ${remedy}</p>`, 'accent')
        }
        <p><a class="button" href=${back.href}>${values ? 'Done' : 'Back'}</a></p>
      </div>`,
  };
}
