// Samples with the typed client; with fetch for operations that the client does not have.
import { type Call, DOCUMENT_TYPE, FILE, fieldsOf, givenTo, isList, kindOf, type Program, variableIn } from './call.ts';
import { clientCalls } from './client-calls.ts';

/** The client needs no option for it. */
const DEFAULT_VENDOR = 'earmark';
/** The client takes the labels of their links as arguments. */
const FROM_TO = ['createLabelReallocation', 'createSchedule'];
const LINE_MAX = 100;
/** The longest object that is written in one line. */
const OBJECT_MAX = 64;

export function typescriptSample(program: Program): string {
  const { calls } = program;
  const usesClient = calls.some(({ operation }) => clientCalls[operation.id]);
  const usesFile = program.specimen === undefined && calls.some((call) => kindOf(call) === 'upload');
  return [
    ...(usesClient ? ["import { Earmark } from '@earmark/client';"] : []),
    ...(usesFile ? ["import { fileAt } from '@earmark/client/files';"] : []),
    ...(usesClient ? [''] : []),
    ...environment(program, usesClient),
    ...(usesClient ? [clientOf(program), ''] : []),
    ...calls.flatMap((call) => statementsOf(call, program)),
  ].join('\n');
}

/** Reads the variables that the program needs. */
function environment(program: Program, usesClient: boolean): string[] {
  const credentials = usesClient || program.calls.some(({ operation }) => operation.withCredentials);
  const given = givenTo(program);
  const url = usesClient && program.values.BASE_URL === undefined ? ['BASE_URL'] : [];
  const names = [...new Set([...url, ...(credentials ? ['CLIENT_ID', 'CLIENT_SECRET'] : []), ...given])];
  if (names.length === 0) return [];
  const members = names.map((name) => `${name}: ${nameOf(name)}`);
  const line = `const { ${members.join(', ')} } = process.env as Record<string, string>;`;
  if (line.length <= LINE_MAX) return [line];
  return ['const {', ...members.map((member) => `  ${member},`), '} = process.env as Record<string, string>;'];
}

function clientOf({ values, vendor }: Program): string {
  const url = values.BASE_URL === undefined ? 'url' : `url: '${values.BASE_URL}'`;
  const ownVendor = vendor === DEFAULT_VENDOR ? '' : `, mediaTypeVendor: '${vendor}'`;
  return `const earmark = new Earmark({ ${url}, clientId, clientSecret${ownVendor} });`;
}

function statementsOf(call: Call, program: Program): string[] {
  const method = clientCalls[call.operation.id];
  if (method === undefined) return fetchStatements(call, program);
  const download =
    kindOf(call) === 'upload' && program.specimen !== undefined
      ? [`const picture = await (await fetch('${program.specimen}')).blob();`]
      : [];
  const { method: own, args } = callOf(call, program, method);
  return [...download, ...useOf(call, `earmark.${own}(${args.join(', ')})`)];
}

function useOf({ operation, role, result }: Call, expression: string): string[] {
  if (result?.take === 'first') return [`const { elements: [${nameOf(result.name)}] } = await ${expression}.page();`];
  if (result) return [`const { location: ${nameOf(result.name)} } = await ${expression};`];
  if (role !== 'main') return [`await ${expression};`];
  if (isList(operation)) return [`for await (const one of ${expression}) {`, '  console.log(one);', '}'];
  if (operation.success.location !== undefined) return [`const { location } = await ${expression};`, 'console.log(location);'];
  if (operation.id === 'getCustomerBalance') return [`const { balances } = await ${expression};`, 'console.log(balances);'];
  return [`const found = await ${expression};`, 'console.log(found);'];
}

/** The method and its arguments: the resource in the path, the query of a list, and the body. */
function callOf(call: Call, { values, specimen }: Program, method: string): { method: string; args: string[] } {
  const { operation, on, rest, body } = call;
  const literal = (value: unknown, layout: 'flat' | 'lines' = 'lines') => literalOf(value, { values, layout });
  const ref = on === 'BASE_URL' ? [] : [literal(`$${on}`)];
  const [path = '', search = ''] = rest.split('?');
  const ofBody = (): string[] => {
    if (operation.id === 'certifyBeneficialOwnership') return [];
    if (operation.id === 'previewAllocation') return [literal((body as { amount: unknown }).amount)];
    if (operation.id === 'advanceClock') return [String((body as { advanceSeconds: number }).advanceSeconds)];
    if (kindOf(call) === 'upload') {
      return [`{\n  type: '${DOCUMENT_TYPE}',\n  file: ${specimen ? 'picture' : `await fileAt('${FILE}')`},\n}`];
    }
    if (operation.id === 'getStatement') return [literal({ month: path.split('/').at(-1), ...queryOf(search) }, 'flat')];
    if (search !== '') return [literal(queryOf(search), 'flat')];
    return kindOf(call) === 'json' ? [literal(formOf(call))] : [];
  };
  if (operation.id === 'updateAllocationRule') {
    return { method: (body as { paused: boolean }).paused ? method : 'allocationRules.resume', args: ref };
  }
  return { method, args: [...ref, ...ofBody()] };
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

type Linked = { _links: { from: { href: string }; to?: { href: string } } };

function withoutLinks({ _links, ...rest }: Linked): unknown {
  return { from: _links.from.href, ...(_links.to && { to: _links.to.href }), ...rest };
}

/** The client takes labels as arguments, and makes the links of a reallocation itself. */
function formOf({ operation, body }: Call): unknown {
  if (operation.id === 'createAllocationRule') {
    const { steps, ...rule } = body as { steps: { label: { href: string } }[] };
    return { ...rule, steps: steps.map(({ label, ...step }) => ({ label: label.href, ...step })) };
  }
  if (operation.id === 'createLabelReallocationBatch') {
    const { items, withdrawals, ...batch } = body as { items: Linked[]; withdrawals?: Linked[] };
    return { ...batch, items: items.map(withoutLinks), ...(withdrawals && { withdrawals: withdrawals.map(withoutLinks) }) };
  }
  return FROM_TO.includes(operation.id) ? withoutLinks(body as Linked) : body;
}

function fetchStatements(call: Call, { values }: Program): string[] {
  const { operation, on, rest, result } = call;
  const url = values[on] === undefined ? `\`\${${nameOf(on)}}${rest}\`` : `'${values[on]}${rest}'`;
  const isJson = /json/.test(operation.success.mediaType);
  const read = `console.log(await response.${isJson ? 'json' : 'text'}());`;
  if (!operation.withCredentials) return [`const response = await fetch(${url});`, read];
  const body = literalOf(Object.fromEntries(fieldsOf(call)), { values, layout: 'flat' });
  const name = result ? nameOf(result.name) : 'response';
  return [
    `const ${name === 'response' ? name : 'issued'} = await fetch(${url}, {`,
    "  method: 'POST',",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the sample's
    '  headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },',
    `  body: new URLSearchParams(${body}),`,
    '});',
    ...(result ? [`const { access_token: ${name} } = (await issued.json()) as { access_token: string };`] : []),
    ...(result ? [] : [isJson ? read : 'console.log(response.status);']),
  ];
}

/** The variable of a program for one of the environment. */
function nameOf(name: string): string {
  if (name === 'BASE_URL') return 'url';
  return name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

type Literal = { values: Program['values']; layout: 'flat' | 'lines' };

/** A value as a literal, or the variable that it names. `flat`: on one line. */
function literalOf(value: unknown, options: Literal, indent = ''): string {
  const { values, layout } = options;
  const variable = variableIn(value);
  if (variable !== undefined && values[variable] === undefined) return nameOf(variable);
  if (typeof value === 'string') return `'${(values[variable ?? ''] ?? value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map((element) => literalOf(element, options, indent)).join(', ')}]`;
  const inner = `${indent}  `;
  const members = Object.entries(value).map(([name, member]) => memberOf(name, literalOf(member, options, inner)));
  const flat = `{ ${members.join(', ')} }`;
  if (layout === 'flat' || (flat.length <= OBJECT_MAX && !flat.includes('\n'))) return flat;
  return `{\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}}`;
}

function memberOf(name: string, value: string): string {
  if (name === value) return name;
  return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`}: ${value}`;
}
