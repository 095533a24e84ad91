// The page of an operation: what it does, parameters, shapes and refusals on the left, samples and answers on the right.
import { STATUS_CODES } from 'node:http';
import { type Html, html } from '../../../platform/pages/html.ts';
import { SANDBOX_NAMES } from '../../sandbox/credentials.ts';
import type { OpenApi } from '../openapi.ts';
import type { Operation, Refusal } from '../operation.ts';
import { codeBlock, rendered } from '../rendered.ts';
import { givenTo, type Program } from '../samples/call.ts';
import { programOf, type SampleContext } from '../samples/program.ts';
import { type Sample, samplesOf } from '../samples/sample.ts';
import { shapeOf } from './shape.ts';
import { parameterRows, shapeRows } from './shape-rows.ts';
import { tryForm } from './try-form.ts';

export type OperationContext = {
  document: OpenApi;
  isSandbox: boolean;
  /** The path of the recorded example, with its query. */
  examplePath: string;
  samples: SampleContext;
};

export function operationPage(operation: Operation, context: OperationContext): Html {
  const { summary, method, path, description } = operation;
  return html`<article class="operation">
    <header>
      <h1>${summary}</h1>
      <p class="endpoint"><span class=${`method ${method}`}>${method.toUpperCase()}</span> <code>${breakable(path)}</code></p>
    </header>
    <div class="columns">
      <div class="reading">
        ${rendered(description)} ${access(operation)} ${context.isSandbox ? tryForm(operation, context) : null}
        ${parameterSection(operation, context.document, { place: 'path', title: 'Path' })}
        ${parameterSection(operation, context.document, { place: 'query', title: 'Query' })} ${bodySection(operation, context.document)}
        ${parameterSection(operation, context.document, { place: 'header', title: 'Headers' })}
        ${answerSection(operation, context.document)} ${refusalSection(operation.refusals)}
      </div>
      <div class="samples">${requestSample(operation, context)} ${refusalSamples(operation)}</div>
    </div>
  </article>`;
}

/** A request in each language, with its answer. */
export function requestSample(operation: Operation, context: OperationContext): Html {
  return html`${sampleTabs(operation, context)} ${answerSample(operation)}`;
}

/** A path that may wrap after each slash. */
function breakable(path: string): (string | Html)[] {
  return path
    .slice(1)
    .split('/')
    .flatMap((part) => [html`<wbr />`, `/${part}`]);
}

function access({ scope, withCredentials }: Operation): Html {
  if (withCredentials) return html`<p class="access">Needs the credentials of an application.</p>`;
  if (scope === undefined) return html`<p class="access">Needs no access token.</p>`;
  if (scope === '') return html`<p class="access">Needs an access token.</p>`;
  return html`<p class="access">Needs an access token with the scope <code>${scope}</code>.</p>`;
}

function heading(title: string, anchor: string): Html {
  return html`<h2 id=${anchor}><a class="anchor" href=${`#${anchor}`}>${title}</a></h2>`;
}

type Place = { place: 'path' | 'query' | 'header'; title: string };

function parameterSection({ parameters }: Operation, document: OpenApi, { place, title }: Place): Html {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (found.length === 0) return null;
  return html`<section>${heading(title, title.toLowerCase())} ${parameterRows(document, found)}</section>`;
}

function bodySection({ body }: Operation, document: OpenApi): Html | null {
  if (!body) return null;
  const shape = shapeOf(document, body.schema);
  return html`<section>
    ${heading('Request body', 'body')}
    <p class="media"><code>${body.mediaType}</code></p>
    ${rendered(shape.description)} ${shapeRows(shape)}
  </section>`;
}

const created = html`<p>
  No body. The header <code>Location</code> is the URL of the new resource. With <code>Prefer: return=representation</code> the body
  is that resource:
</p>`;

function answerSection({ success }: Operation, document: OpenApi): Html {
  const { status, description, location, schema } = success;
  const shape = schema && shapeOf(document, schema);
  const isNamed = description !== '' && description !== STATUS_CODES[status];
  return html`<section>
    ${heading('Response', 'response')}
    <p><span class="status ok">${status}</span> ${STATUS_CODES[status]}</p>
    ${isNamed && location === undefined ? rendered(description) : null}
    ${location === undefined ? null : created}
    ${shape?.description ? rendered(shape.description) : null}
    ${shape && (shape.members.length > 0 || shape.alternatives.length > 0) ? shapeRows(shape) : null}
  </section>`;
}

function refusalSection(refusals: Refusal[]): Html | null {
  if (refusals.length === 0) return null;
  return html`<section>
    ${heading('Refusals', 'refusals')}
    <div class="table" tabindex="0">
      <table class="refusals">
        <thead><tr><th scope="col">Status</th><th scope="col">Code and message</th></tr></thead>
        <tbody>
          ${refusals.map(
            ({ status, code, message }) => html`<tr>
              <td><span class="status">${status}</span></td>
              <td><a href=${`/docs/refusals#${code}`}><code>${code}</code></a><br />${message}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** Tabs without a script: the checked radio button shows its code. */
function sampleTabs(operation: Operation, { examplePath, samples: context }: OperationContext): Html {
  const program = programOf(operation, { path: examplePath, body: operation.body?.example }, context);
  const samples = samplesOf(program);
  const id = (sample: Sample) => `sample-${sample.language}`;
  return html`<fieldset class="tabs">
    <legend>Request</legend>
    ${samples.map(
      (
        sample,
        index,
      ) => html`<input type="radio" name="language" id=${id(sample)} value=${sample.language} checked=${index === 0} />
        <label for=${id(sample)}>${sample.title}</label>`,
    )}
    ${samples.map((sample) => html`<div class="panel" data-language=${sample.language}>${codeBlock(sample.code, sample.highlight)}</div>`)}
    ${environmentNote({ operation, program, values: context.values })}
  </fieldset>`;
}

/** Says where the variables of the samples come from. */
function environmentNote({
  operation,
  program,
  values,
}: {
  operation: Operation;
  program: Program;
  values: object;
}): Html | null {
  const own = givenTo(program).filter((name) => !SANDBOX_NAMES.includes(name));
  if (own.length > 0) {
    const names = own.map((name, index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>`);
    return html`<p class="variables">
      Set ${names} to the URL of yours. <code>earmark sandbox env</code> prints the other variables of a sandbox.
    </p>`;
  }
  const isAnonymous = operation.scope === undefined && !operation.withCredentials;
  if (isAnonymous && 'BASE_URL' in values) return null;
  return html`<p class="variables">The variables are those of <code>eval "$(npx earmark sandbox env)"</code>.</p>`;
}

function answerSample({ success }: Operation): Html {
  const { status, location, example } = success;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  return html`<section class="answer">
    <h3>Response</h3>
    ${location !== undefined ? codeBlock(`${line}\nLocation: ${location}`, 'text') : null}
    ${location === undefined && example !== undefined ? codeBlock(JSON.stringify(example, null, 2), 'json') : null}
    ${location === undefined && example === undefined ? codeBlock(line, 'text') : null}
  </section>`;
}

function refusalSamples({ refusalExamples }: Operation): Html[] {
  return refusalExamples.map(
    ({ status, name, value }) => html`<details class="answer">
      <summary><span class="status">${status}</span> ${name}</summary>
      ${codeBlock(JSON.stringify(value, null, 2), 'json')}
    </details>`,
  );
}
