// The form that sends an operation to the sandbox. It needs a script, which shows it (assets/docs-try.js).
import { type Html, html } from '../../../platform/pages/html.ts';
import type { OpenApi, Parameter } from '../openapi.ts';
import { resolve } from '../openapi.ts';
import type { Operation } from '../operation.ts';
import { SPECIMEN } from '../specimen.ts';

type Context = { document: OpenApi; examplePath: string };

/** Operations that take the secret of an application cannot be tried here: the page has none. */
export function tryForm(operation: Operation, context: Context): Html | null {
  if (operation.withCredentials) return null;
  const fields = operation.parameters.filter((parameter) => parameter.in !== 'header');
  const isFinal = operation.method === 'delete' || operation.id === 'resetAccount';
  return html`<details class="try" id="try" hidden>
    <summary class="button">Try it</summary>
    <form
      data-method=${operation.method}
      data-path=${operation.path}
      data-token=${operation.scope === undefined ? undefined : 'yes'}
      data-confirm=${isFinal ? `${operation.summary} in this sandbox?` : undefined}
    >
      <p class="session" role="status"></p>
      <label class="given-token" hidden>Access token <input class="input" name="token" autocomplete="off" spellcheck="false" /></label>
      <div class="fields">${fields.map((parameter) => field(parameter, operation, context))}</div>
      ${bodyField(operation)}
      <div class="buttons"><button class="button button-primary" type="submit">Send</button></div>
      <div class="result" role="status" aria-live="polite"></div>
    </form>
  </details>`;
}

function field(parameter: Parameter, { path }: Operation, { document, examplePath }: Context): Html {
  const { name, in: place, required = false } = parameter;
  const [found = ''] = examplePath.split('?');
  const index = path.split('/').indexOf(`{${name}}`);
  const value = place === 'path' ? found.split('/')[index] : '';
  const collection = place === 'path' ? path.split('/')[index - 1] : undefined;
  const { enum: values } = resolve(document, parameter.schema);
  return html`<label
    >${name}
    ${
      values
        ? html`<select class="input" name=${name} data-in=${place}>
          <option value=""></option>
          ${values.map((one) => html`<option selected=${one === value}>${one}</option>`)}
        </select>`
        : html`<input class="input"
          name=${name}
          data-in=${place}
          data-collection=${collection}
          value=${value}
          required=${required}
          autocomplete="off"
          spellcheck="false"
        />`
    }</label
  >`;
}

function bodyField({ body }: Operation): Html | null {
  if (!body) return null;
  if (body.mediaType === 'multipart/form-data') {
    return html`<label>documentType <input class="input" name="documentType" data-in="form" value="passport" /></label>
      <label>file <input class="input" name="file" type="file" data-in="form" required accept="image/png,image/jpeg" /></label>
      <p class="hint">Without a picture, use <a href=${SPECIMEN} download>an invented passport</a>.</p>`;
  }
  const text = body.example === undefined ? '' : JSON.stringify(body.example, null, 2);
  return html`<label
    >Body <textarea class="input" name="body" data-in="body" rows=${Math.min(text.split('\n').length, 18)} spellcheck="false">${text}</textarea></label
  >`;
}
