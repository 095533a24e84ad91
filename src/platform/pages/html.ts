// HTML as tagged templates: ``html`<p>${text}</p>` ``. Every value is escaped, so that text of users never becomes markup.
import { html as template } from 'htm/preact';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** A part of a page: an element, text, or a list of them. `undefined` and `false` render nothing. */
export type Html = ComponentChildren;

/** The strings of each template, with a space where a line ends at a text. */
const spaced = new WeakMap<TemplateStringsArray, TemplateStringsArray>();

/**
 * Elements must be closed, as in XML: `<input />`. Entities are not decoded: write the character. The end of a line is a space where it is
 * beside text, and nothing between elements or values.
 */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Html {
  let texts = spaced.get(strings);
  if (!texts) {
    texts = strings.map(withSpaces) as unknown as TemplateStringsArray;
    spaced.set(strings, texts);
  }
  return template(texts, ...values);
}

/** The template language drops the ends of lines beside elements and values, also after and before a word. */
function withSpaces(text: string, index: number): string {
  const ended = text.replace(/([^\s>])[ \t]*\n\s*(<|$)/g, '$1 $2');
  return index === 0 ? ended : ended.replace(/^[ \t]*\n\s*([^\s<])/, ' $1');
}

/** Characters that turn around the order of others, or are not shown: a name could look like another one. */
const DECEPTIVE = /[\u200b\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Writes a whole document, with a visible sign for each deceptive character. `root` is the html element. */
export function renderDocument(root: Html): string {
  return `<!doctype html>\n${renderToString(h(Fragment, null, root))}\n`.replace(DECEPTIVE, '\ufffd');
}
