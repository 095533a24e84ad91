// Samples with the typed client; with fetch for operations that the client does not have.

import { type Call, DOCUMENT_TYPE, FILE, fieldsOf, isList, kindOf } from './call.ts';
import { clientCalls } from './client-calls.ts';

/** The client needs no option for it. */
const DEFAULT_VENDOR = 'earmark';

export function typescriptSample(call: Call): string {
  const method = clientCalls[call.operation.id];
  return method === undefined ? fetchSample(call) : clientSample(call, method);
}

function clientSample(call: Call, method: string): string {
  const { operation, baseUrl, vendor } = call;
  const ownVendor = vendor === DEFAULT_VENDOR ? '' : `, mediaTypeVendor: '${vendor}'`;
  const upload = kindOf(call) === 'upload' ? ["import { fileAt } from 'earmark/client/files';"] : [];
  return [
    "import { Earmark } from 'earmark/client';",
    ...upload,
    '',
    'const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env as Record<string, string>;',
    `const earmark = new Earmark({ url: '${baseUrl}', clientId, clientSecret${ownVendor} });`,
    '',
    ...useOf(call, `earmark.${method}(${argumentsOf(call).join(', ')})`, operation.id === 'getCustomerBalance'),
  ].join('\n');
}

function useOf({ operation }: Call, expression: string, isBalance: boolean): string[] {
  if (isList(operation)) return [`for await (const one of ${expression}) {`, '  console.log(one);', '}'];
  if (operation.success.location !== undefined) return [`const { location } = await ${expression};`, 'console.log(location);'];
  if (isBalance) return [`const { balances } = await ${expression};`, 'console.log(balances);'];
  return [`const found = await ${expression};`, 'console.log(found);'];
}

/** The arguments: the resource in the path, the query of a list, and the body. */
function argumentsOf(call: Call): string[] {
  const { operation, baseUrl, path, body } = call;
  const { pathname, search } = new URL(path, baseUrl);
  // The URL of the resource, without the collection of a nested path.
  const end = operation.path.split('/').indexOf('{id}') + 1;
  const ref = end > 0 ? [`'${baseUrl}${pathname.split('/').slice(0, end).join('/')}'`] : [];
  if (['certifyBeneficialOwnership', 'updateAllocationRule'].includes(operation.id)) return ref;
  if (operation.id === 'previewAllocation') return [...ref, literalOf((body as { amount: unknown }).amount)];
  if (operation.id === 'advanceClock') return [String((body as { advanceSeconds: number }).advanceSeconds)];
  if (kindOf(call) === 'upload') return [...ref, `{\n  type: '${DOCUMENT_TYPE}',\n  file: await fileAt('${FILE}'),\n}`];
  if (operation.id === 'getStatement') {
    const month = pathname.split('/').at(-1);
    return [...ref, literalOf({ month, ...queryOf(search) }, '', 'flat')];
  }
  if (search !== '') return [...ref, literalOf(queryOf(search), '', 'flat')];
  return [...ref, ...(kindOf(call) === 'json' ? [literalOf(formOf(call))] : [])];
}

/** Digits are numbers; a repeated parameter is a list. */
function queryOf(search: string): Record<string, unknown> {
  const query = new URLSearchParams(search);
  const read = (text: string) => (/^\d+$/.test(text) ? Number(text) : text);
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name).map(read);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

type Linked = { _links: { from: { href: string }; to: { href: string } } };

function withoutLinks({ _links, ...rest }: Linked): unknown {
  return { from: _links.from.href, to: _links.to.href, ...rest };
}

/** The client takes labels as arguments, and makes the links of a reallocation itself. */
function formOf({ operation, body }: Call): unknown {
  if (operation.id === 'createAllocationRule') {
    const { steps, ...rule } = body as { steps: { label: { href: string } }[] };
    return { ...rule, steps: steps.map(({ label, ...step }) => ({ label: label.href, ...step })) };
  }
  if (operation.id === 'createLabelReallocationBatch') {
    const { items, ...batch } = body as { items: Linked[] };
    return { ...batch, items: items.map(withoutLinks) };
  }
  return operation.id === 'createLabelReallocation' ? withoutLinks(body as Linked) : body;
}

function fetchSample(call: Call): string {
  const { operation, baseUrl, path } = call;
  const isJson = /json/.test(operation.success.mediaType);
  const read = `console.log(await response.${isJson ? 'json' : 'text'}());`;
  if (!operation.withCredentials) return [`const response = await fetch('${baseUrl}${path}');`, read].join('\n');
  const fields = fieldsOf(call).map(([name, value]) => (name === 'token' ? 'token: TOKEN' : `${name}: '${value}'`));
  return [
    'const { CLIENT_ID, CLIENT_SECRET, TOKEN } = process.env as Record<string, string>;'.replace(
      ', TOKEN',
      fields.includes('token: TOKEN') ? ', TOKEN' : '',
    ),
    `const response = await fetch('${baseUrl}${path}', {`,
    "  method: 'POST',",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the sample's
    '  headers: { authorization: `Basic ${btoa(`${CLIENT_ID}:${CLIENT_SECRET}`)}` },',
    `  body: new URLSearchParams({ ${fields.join(', ')} }),`,
    '});',
    isJson ? read : 'console.log(response.status);',
  ].join('\n');
}

/** A value as a literal. `flat`: on one line. */
function literalOf(value: unknown, indent = '', layout: 'flat' | 'lines' = 'lines'): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map((element) => literalOf(element, indent, layout)).join(', ')}]`;
  const inner = `${indent}  `;
  const members = Object.entries(value).map(
    ([name, member]) => `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`}: ${literalOf(member, inner, layout)}`,
  );
  if (layout === 'flat') return `{ ${members.join(', ')} }`;
  return `{\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}}`;
}
