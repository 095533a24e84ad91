// Parts that pages share: icons, headings, badges, notices, tables, empty states and forms.
import { assetUrl } from './assets.ts';
import { type Html, html } from './html.ts';
import type { IconName } from './icon-sprite.ts';

type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent';

/** An icon beside a text. Screen readers ignore it. */
export function icon(name: IconName, size: 'normal' | 'small' = 'normal'): Html {
  const className = size === 'small' ? 'icon icon-small' : 'icon';
  return html`<svg class=${className} aria-hidden="true"><use href=${`${assetUrl('icons.svg')}#${name}`} /></svg>`;
}

/** The heading of a page. `back` links to the list that the page belongs to; `actions` are buttons. */
export function pageHeader(options: { title: Html; lead?: Html; back?: { href: string; label: string }; actions?: Html }): Html {
  const { title, lead, back, actions } = options;
  return html`<div class="page-header">
    <div>
      ${back && html`<div class="crumbs"><a href=${back.href}>${icon('chevron-left', 'small')}${back.label}</a></div>`}
      <h1>${title}</h1>
      ${lead && html`<p>${lead}</p>`}
    </div>
    ${actions && html`<div class="buttons">${actions}</div>`}
  </div>`;
}

export function badge(text: string, tone: Tone = 'neutral'): Html {
  return html`<span class=${`badge badge-${tone}`}>${text}</span>`;
}

const NOTICE_ICONS = {
  neutral: 'information-circle',
  accent: 'information-circle',
  good: 'check-circle',
  warn: 'exclamation-triangle',
  bad: 'exclamation-circle',
} as const;

/** A message at the top of a page or card. Screen readers read a bad one at once. */
export function notice(text: Html, tone: Tone = 'accent'): Html {
  return html`<div class=${`notice notice-${tone}`} role=${tone === 'bad' ? 'alert' : 'status'}>
    ${icon(NOTICE_ICONS[tone])}
    <div>${text}</div>
  </div>`;
}

/** The content of a list or page that has nothing to show. `action` is what to do about it. */
export function emptyState(options: { icon: IconName; title: string; text: Html; action?: Html; isPage?: boolean }): Html {
  const { icon: name, title, text, action, isPage } = options;
  return html`<div class="empty">
    ${icon(name)} ${isPage ? html`<h1>${title}</h1>` : html`<h3>${title}</h3>`}
    <p>${text}</p>
    ${action}
  </div>`;
}

/** A part of a page with a border. */
export function card(options: { title: string; lead?: Html; actions?: Html; isBare?: boolean }, body: Html): Html {
  const { title, lead, actions, isBare } = options;
  return html`<section class="card">
    <header>
      <div>
        <h2>${title}</h2>
        ${lead && html`<p>${lead}</p>`}
      </div>
      ${actions && html`<div class="buttons">${actions}</div>`}
    </header>
    ${isBare ? body : html`<div class="card-body">${body}</div>`}
  </section>`;
}

/** A text to copy, such as a secret. The page needs `copy.js`; without a script the person selects it. */
export function copyable(text: string, label: string): Html {
  return html`<div class="copyable">
    <pre tabindex="0"><code>${text}</code></pre>
    <button class="button button-small needs-script" type="button" data-copy aria-live="polite">
      Copy<span class="visually-hidden"> ${label}</span>
    </button>
  </div>`;
}

/** A column; on narrow screens its label stands before each value. */
type Column = { label: string; isNumber?: boolean };

/** Columns from which on a table needs less or more room than others, before its rows become blocks. */
const FEW = 3;
const MANY = 6;

/** A table whose rows become blocks where there is not enough room. The first cell of a row names it. */
export function table(options: { caption: string; columns: Column[]; rows: Html[][] }): Html {
  const { caption, columns, rows } = options;
  const classOf = ({ isNumber }: Column) => (isNumber ? 'number' : undefined);
  const size = columns.length <= FEW ? ' table-box-narrow' : columns.length >= MANY ? ' table-box-wide' : '';
  return html`<div class=${`table-box${size}`}>
    <table class="table table-stacked">
      <caption class="visually-hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col" class=${classOf(column)}>${column.label}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) => html`<tr>
            ${cells.map((cell, index) => {
              const column = columns[index]!;
              return index === 0
                ? html`<th scope="row">${cell}</th>`
                : html`<td class=${classOf(column)} data-label=${column.label}>${cell}</td>`;
            })}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The end of a list: what is shown, and links to the pages before and after. */
export function pages(options: { text: Html; previous?: string | undefined; next?: string | undefined }): Html {
  const { text, previous, next } = options;
  return html`<nav class="pages" aria-label="Pages of the list">
    <span>${text}</span>
    <span class="buttons">
      ${previous && html`<a class="button button-small" href=${previous} rel="prev">${icon('chevron-left', 'small')}Previous</a>`}
      ${next && html`<a class="button button-small" href=${next} rel="next">Next${icon('chevron-right', 'small')}</a>`}
    </span>
  </nav>`;
}

/** A labelled control of a form; `control` is an input, select or textarea with the id of the field. */
export function field(options: { id: string; label: string; hint?: Html; error?: string | undefined }, control: Html): Html {
  const { id, label, hint, error } = options;
  return html`<div class="field">
    <label class="label" for=${id}>${label}</label>
    ${control} ${hint && html`<span class="hint" id=${`${id}-hint`}>${hint}</span>`}
    ${error && html`<span class="error" id=${`${id}-error`}>${error}</span>`}
  </div>`;
}
