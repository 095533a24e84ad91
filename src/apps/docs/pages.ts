// The pages of the documentation that are not about one operation: overview, guides, reference, webhooks, refusals and search.
import { ABSENT_PATHS } from '../../platform/http/absent-paths.ts';
import { type Html, html } from '../../platform/pages/html.ts';
import { emptyState, icon, pageHeader, table } from '../../platform/pages/parts.ts';
import type { Guide } from './guides.ts';
import { type Contents, capital } from './layout.ts';
import { anchorOf } from './markdown.ts';
import { modelPicture } from './model-picture.ts';
import type { OpenApi } from './openapi.ts';
import { type Operation, refusalsByCode } from './operation.ts';
import { shapeOf } from './reference/shape.ts';
import { parameterRows, shapeRows } from './reference/shape-rows.ts';
import { codeBlock, rendered } from './rendered.ts';
import type { Entry } from './search.ts';

const RESULTS_MAX = 30;
const EXCERPT_CHARACTERS = 180;

/** `sample`: a request against this service, with its answer. `made`: what that request made, as JSON. */
type Front = { description: string; sample: Html; made: string; hasTry: boolean };

export function overviewPage({ guides, operating, groups }: Contents, { description, sample, made, hasTry }: Front): Html {
  return html`<article class="operation front">
      <header>
        <h1>Earmark</h1>
        <p class="lead">
          A payments API that divides each customer's balance into labels, and moves amounts between them with two ledger entries in one
          commit.
        </p>
      </header>
      <div class="columns">
        <div class="reading">
          ${modelPicture()}
          <p>
            A <b>customer</b> has a balance. A <b>label</b> is a named part of it, such as taxes; the rest is available. Each move is${' '}
            two <b>entries</b> that are stored together or not at all, and a label never goes below zero.
          </p>
          <div class="buttons">
            <a class="button button-primary" href=${guides[0]!.path}>${guides[0]!.title}${icon('arrow-right', 'small')}</a>
            ${hasTry && html`<a class="button" href="/docs/reference/createLabelReallocation#try">Try it here</a>`}
            <a class="button" href="#conventions">Conventions</a>
          </div>
        </div>
        <div class="samples">
          <h2 class="visually-hidden">A request and its answer</h2>
          ${sample}
          <details class="answer">
            <summary>What it made</summary>
            ${codeBlock(made, 'json')}
          </details>
        </div>
      </div>
    </article>
    <div class="prose">
      <h2 id="guides">Guides</h2>
      ${cards(guides)}
      <h2 id="conventions">Conventions</h2>
      ${rendered(description)}
      <h2 id="reference">Reference</h2>
      <ul class="tags">
        ${groups.map(
          ({ tag, description }) =>
            html`<li><a href=${`/docs/reference#${anchorOf(tag)}`}>${capital(tag)}</a> <span class="muted">${description}</span></li>`,
        )}
        <li><a href="/openapi.json">openapi.json</a> <span class="muted">The same as an OpenAPI 3.1 document</span></li>
      </ul>
      <h2 id="operating">Operating</h2>
      ${cards(operating)}
    </div>`;
}

function cards(guides: Guide[]): Html {
  return html`<ul class="grid cards">
    ${guides.map(
      ({ path, title, summary }) => html`<li>
        <a class="link-card" href=${path}><span><b>${title}</b> ${summary}</span></a>
      </li>`,
    )}
  </ul>`;
}

export function guidePage(guide: Guide, next: Guide | undefined): Html {
  return html`<article class="prose guide">
    <h1 class="big">${guide.title}</h1>
    <div dangerouslySetInnerHTML=${{ __html: guide.html }} />
    ${
      next &&
      html`<p class="next">
        <a class="link-card" href=${next.path}
          ><span><span class="small">Next</span><b>${next.title}</b> ${next.summary}</span> ${icon('arrow-right')}</a
        >
      </p>`
    }
  </article>`;
}

export function referencePage({ groups }: Contents): Html {
  return html`${pageHeader({ title: 'Reference', lead: 'All operations, by resource.' })}
    ${groups.map(
      ({ tag, description, operations }) => html`<section class="group">
        <h2 id=${anchorOf(tag)}><a class="anchor" href=${`#${anchorOf(tag)}`}>${capital(tag)}</a></h2>
        <p class="muted">${description}</p>
        <ul class="operations">
          ${operations.map(operationLink)}
        </ul>
      </section>`,
    )}`;
}

function operationLink({ id, method, path, summary }: Operation): Html {
  return html`<li>
    <a href=${`/docs/reference/${id}`}>
      <span class=${`method ${method}`}>${method.toUpperCase()}</span> <code>${path}</code> <span class="summary">${summary}</span>
    </a>
  </li>`;
}

export function webhooksPage(document: OpenApi): Html {
  const webhooks = Object.entries(document.webhooks);
  const [, first] = webhooks[0]!;
  return html`<article class="operation">
    ${pageHeader({ title: 'Webhook requests', lead: 'What a receiver gets for each topic.' })}
    <p>
      Each delivery is a POST with a JSON body and these headers. The guide ${' '}
      <a href="/docs/guides/webhooks-and-feed">Webhooks and the feed</a> shows how to verify it.
    </p>
    ${rendered(first.post.description ?? '')}
    <h2 id="headers">Headers</h2>
    ${parameterRows(document, first.post.parameters ?? [])}
    <h2 id="topics">Topics</h2>
    ${webhooks.map(([topic, { post }]) => {
      const [media] = Object.values(post.requestBody?.content ?? {});
      const example = Object.values(media?.examples ?? {})[0]?.value;
      return html`<section class="topic">
        <h3 id=${topic}><a class="anchor" href=${`#${topic}`}><code>${topic}</code></a></h3>
        <p>${post.summary}.</p>
        <details>
          <summary>Body</summary>
          ${example === undefined ? null : codeBlock(JSON.stringify(example, null, 2), 'json')}
          ${media?.schema ? shapeRows(shapeOf(document, media.schema)) : null}
        </details>
      </section>`;
    })}
  </article>`;
}

export function refusalsPage(operations: Operation[]): Html {
  return html`${pageHeader({ title: 'All refusals', lead: 'Every code, its messages and the operations that answer with it.' })}
    <p>The guide <a href="/docs/guides/errors">Errors</a> says how to handle them.</p>
    ${refusalsByCode(operations).map(({ code, statuses, messages, operations: used }) => {
      return html`<section class="refusal">
        <h2 id=${code}>
          <a class="anchor" href=${`#${code}`}>${code}</a> ${statuses.map(
            (status) => html`<span class="status">${status}</span> `,
          )}
        </h2>
        <ul>${messages.map((message) => html`<li>${message}</li>`)}</ul>
        <details>
          <summary>${used.length === 1 ? '1 operation' : `${used.length} operations`}</summary>
          <ul>${used.map(({ id, summary }) => html`<li><a href=${`/docs/reference/${id}#refusals`}>${summary}</a></li>`)}</ul>
        </details>
      </section>`;
    })}
    <h2 id="absent-paths">Paths that are not part of this API</h2>
    <p>Other APIs of this family have them. Any path with such a part is answered with <code>NotFound</code> and this message.</p>
    ${table({
      caption: 'Paths that are not part of this API',
      columns: [{ label: 'Part of the path' }, { label: 'Message' }],
      rows: Object.entries(ABSENT_PATHS).map(([segment, text]) => [html`<code class="nowrap">${segment}</code>`, text]),
    })}`;
}

export function missingPage(): Html {
  const text = html`The address may be mistyped. Search for it above, or begin with the <a href="/docs">overview</a>.`;
  return emptyState({ icon: 'document-text', title: 'There is no such page', text, isPage: true });
}

export function searchPage(query: string, found: Entry[]): Html {
  if (query.trim() === '') {
    return emptyState({
      icon: 'magnifying-glass',
      title: 'Search',
      text: 'Enter words of a guide, an operation, a path or a topic.',
      isPage: true,
    });
  }
  if (found.length === 0) {
    const text = html`No page contains all words of “${query}”. Try fewer words, or the <a href="/docs/reference">reference</a>.`;
    return emptyState({ icon: 'magnifying-glass', title: 'Nothing found', text, isPage: true });
  }
  return html`${pageHeader({ title: `Results for “${query}”`, lead: countOf(found.length) })}
    <ol class="results">
      ${found.slice(0, RESULTS_MAX).map(
        ({ kind, title, url, text }) => html`<li>
          <a href=${url}>${title}</a> <span class="badge">${kind}</span>
          <p class="muted">${text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text}</p>
        </li>`,
      )}
    </ol>`;
}

function countOf(count: number): string {
  if (count === 1) return '1 result';
  return count > RESULTS_MAX ? `The best ${RESULTS_MAX} of ${count} results` : `${count} results`;
}
