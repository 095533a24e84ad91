// Markdown to HTML: anchors of headings, highlighted code, tables that scroll on a small screen.
import { Marked, type Tokens } from 'marked';
import { highlight } from './highlight.ts';

export type Heading = { depth: number; text: string; anchor: string };
export type Rendered = {
  /** The first heading of depth 1, which is not in the HTML. */
  title: string;
  /** The first paragraph as text. */
  summary: string;
  headings: Heading[];
  html: string;
  /** The text of each section, for the search. */
  sections: { heading: Heading | undefined; text: string }[];
};

/** A fence with this word shows what the code before it prints. */
const OUTPUT = 'output';
/** The path, and the anchor if there is one. */
const MARKDOWN_FILE = /^((?:\.\.?\/)?[a-z\-/]+)\.md(#.*)?$/;
/** A base that makes a relative path absolute, and is removed again. */
const BASE = 'http://localhost';

/** Renders a guide of a folder. Links to other guides (`errors.md`, `../guides/errors.md`) become links to their pages. */
export function renderMarkdown(text: string, folder: string): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({ renderer: { heading: headingTo(headings), code, table: scrolled, link: linkFrom(folder) } });
  const tokens = marked.lexer(text);
  const [first, second] = tokens.filter(({ type }) => type !== 'space');
  const title = first?.type === 'heading' ? plain(first) : '';
  const html = marked.parser(tokens.filter((token) => token !== first));
  return { title, summary: second?.type === 'paragraph' ? plain(second) : '', headings, html, sections: sectionsOf(tokens) };
}

/** Renders one line or a few paragraphs of a description. */
export function renderText(text: string): string {
  return new Marked({ renderer: { code, link: linkFrom('/docs') } }).parse(text, { async: false });
}

export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

type Parser = { parser: { parseInline(tokens: Tokens.Generic[]): string } };

function headingTo(headings: Heading[]) {
  return function (this: Parser, { depth, tokens, text }: Tokens.Heading): string {
    const heading = { depth, text: text.replaceAll('`', ''), anchor: anchorOf(text) };
    headings.push(heading);
    const content = this.parser.parseInline(tokens);
    return `<h${depth} id="${heading.anchor}"><a class="anchor" href="#${heading.anchor}">${content}</a></h${depth}>\n`;
  };
}

function code({ text, lang = '' }: Tokens.Code): string {
  const [language = '', role] = lang.split(' ');
  const name = role === OUTPUT || language === OUTPUT ? 'code output' : 'code';
  return `<figure class="${name}"><pre tabindex="0"><code>${highlight(text, language)}</code></pre></figure>\n`;
}

function scrolled(this: Parser, { header, rows }: Tokens.Table): string {
  const cells = (row: Tokens.TableCell[], tag: string) =>
    row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<div class="table" tabindex="0"><table><thead><tr>${cells(header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>\n`;
}

function linkFrom(folder: string) {
  return function (this: Parser, { href, tokens }: Tokens.Link): string {
    const target = href.replace(
      MARKDOWN_FILE,
      (_, page: string, anchor = '') => new URL(page, `${BASE}${folder}/`).pathname + anchor,
    );
    return `<a href="${target.replaceAll('"', '&quot;')}">${this.parser.parseInline(tokens)}</a>`;
  };
}

function sectionsOf(tokens: Tokens.Generic[]): Rendered['sections'] {
  const sections: Rendered['sections'] = [{ heading: undefined, text: '' }];
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth > 1) {
      sections.push({ heading: { depth: token.depth, text: plain(token), anchor: anchorOf(token.text) }, text: '' });
    } else if (token.type !== 'heading' && token.type !== 'code') sections.at(-1)!.text += ` ${plain(token)}`;
  }
  return sections.map(({ heading, text }) => ({ heading, text: text.replace(/\s+/g, ' ').trim() }));
}

/** The text of a token without its markup. */
function plain(token: Tokens.Generic): string {
  return (token.raw ?? '')
    .replace(/^#+ /, '')
    .replace(/^- /gm, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]/g, '')
    .replace(/-{3,}/g, '')
    .trim();
}
