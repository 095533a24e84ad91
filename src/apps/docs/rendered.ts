// Text and code as HTML nodes.
import { type Html, html } from '../../platform/pages/html.ts';
import { highlight } from './highlight.ts';
import { renderText } from './markdown.ts';

/** A description in Markdown, or nothing for an empty one. */
export function rendered(text: string): Html | null {
  if (text === '') return null;
  return html`<div class="text" dangerouslySetInnerHTML=${{ __html: renderText(text) }} />`;
}

/** A block of code with a place for the copy button, which needs a script. */
export function codeBlock(code: string, language: string): Html {
  return html`<figure class="code">
    <pre tabindex="0"><code dangerouslySetInnerHTML=${{ __html: highlight(code, language) }} /></pre>
  </figure>`;
}
