// HTML as tagged templates: ``html`<p>${text}</p>` ``. Every value is escaped, so that text of users never becomes markup.
import { html as template } from 'htm/preact';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** A part of a page: an element, text, or a list of them. `undefined` and `false` render nothing. */
export type Html = ComponentChildren;

/** Elements must be closed, as in XML: `<input />`. Entities are not decoded: write the character. */
export const html: (strings: TemplateStringsArray, ...values: unknown[]) => Html = template;

/** Writes a whole document. `root` is the html element. */
export function renderDocument(root: Html): string {
  return `<!doctype html>\n${renderToString(h(Fragment, null, root))}\n`;
}
