// Samples in Python, with the standard library only.
import {
  type Call,
  DOCUMENT_TYPE,
  FILE,
  fieldsOf,
  givenTo,
  hasToken,
  kindOf,
  type Program,
  type Result,
  takesKey,
  variableIn,
} from './call.ts';

const INDENT = '    ';
/** The longest object that is written in one line. */
const LINE_MAX = 64;
/** `from` is a keyword. */
const RENAMED: Record<string, string> = { FROM: 'from_label', TO: 'to_label' };

const TAKEN: Record<Result['take'], string> = {
  location: 'response.headers["Location"]',
  first: 'next(iter(json.load(response)["_embedded"].values()))[0]["_links"]["self"]["href"]',
  access_token: 'json.load(response)["access_token"]',
};

export function pythonSample(program: Program): string {
  const { calls } = program;
  const given = givenTo(program);
  const credentials = calls.some(({ operation }) => operation.withCredentials);
  const code = [
    ...given.map((name) => `${nameOf(name)} = os.environ["${name}"]`),
    ...(credentials ? [CREDENTIALS] : []),
    ...(given.length > 0 || credentials ? [''] : []),
    calls.map((call) => statementsOf(call, program).join('\n')).join('\n\n'),
  ].join('\n');
  const modules = ['base64', 'json', 'os', 'time', 'urllib.error', 'urllib.parse', 'urllib.request', 'uuid'];
  const used = modules.filter((name) => code.includes(`${name}.`));
  return `import ${used.join('\nimport ')}\n\n${code}`;
}

const CREDENTIALS = `credentials = base64.b64encode(f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}".encode()).decode()`;

function statementsOf(call: Call, program: Program): string[] {
  const { operation, role, isAwaited } = call;
  const headers = headersOf(call);
  const members = [
    urlOf(call, program),
    ...(operation.method === 'get' ? [] : [`method="${operation.method.toUpperCase()}"`]),
    ...(headers.length > 0 ? [`headers={\n${headers.map((line) => `${INDENT}${INDENT}${line},\n`).join('')}${INDENT}}`] : []),
    ...(kindOf(call) === 'none' ? [] : ['data=data']),
  ];
  const request = `request = urllib.request.Request(\n${members.map((member) => `${INDENT}${member},\n`).join('')})`;
  const sent = ['with urllib.request.urlopen(request) as response:', `${INDENT}${useOf(call)}`];
  if (role !== 'main' && !call.result) return [...dataOf(call, program), request, 'urllib.request.urlopen(request).close()'];
  return [...dataOf(call, program), request, ...(isAwaited ? awaited(sent) : sent)];
}

function useOf({ operation, result }: Call): string {
  if (result) return `${nameOf(result.name)} = ${TAKEN[result.take]}`;
  const body = /json/.test(operation.success.mediaType) ? 'json.load(response)' : 'response.read().decode()';
  return `print(${operation.success.location === undefined ? body : TAKEN.location})`;
}

function awaited(lines: string[]): string[] {
  return [
    'while True:',
    `${INDENT}try:`,
    ...lines.map((line) => `${INDENT}${INDENT}${line}`),
    `${INDENT}${INDENT}break`,
    `${INDENT}except urllib.error.HTTPError as error:`,
    `${INDENT}${INDENT}if error.code != 503:`,
    `${INDENT}${INDENT}${INDENT}raise`,
    `${INDENT}${INDENT}time.sleep(1)`,
  ];
}

function urlOf({ on, rest }: Call, { values }: Program): string {
  if (values[on] !== undefined) return JSON.stringify(`${values[on]}${rest}`);
  return rest === '' ? nameOf(on) : `f"{${nameOf(on)}}${rest}"`;
}

function headersOf(call: Call): string[] {
  const { operation } = call;
  return [
    ...(hasToken(operation) ? [`"Authorization": f"Bearer {os.environ['TOKEN']}"`] : []),
    ...(operation.withCredentials ? ['"Authorization": f"Basic {credentials}"'] : []),
    ...(kindOf(call) === 'json' ? ['"Content-Type": "application/json"'] : []),
    ...(kindOf(call) === 'upload' ? ['"Content-Type": f"multipart/form-data; boundary={boundary}"'] : []),
    ...(takesKey(call) ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
}

/** The lines that encode the body as `data`. */
function dataOf(call: Call, { values, specimen }: Program): string[] {
  const kind = kindOf(call);
  if (kind === 'json') return [`data = json.dumps(${literalOf(call.body, values)}).encode()`];
  if (kind === 'form') return [`data = urllib.parse.urlencode(${fieldsIn(call, values)}).encode()`];
  if (kind === 'none') return [];
  return specimen === undefined ? [...READ, ...UPLOAD] : [...download(specimen), ...UPLOAD];
}

function fieldsIn(call: Call, values: Program['values']): string {
  return flatOf(Object.fromEntries(fieldsOf(call)), values);
}

const READ = [`with open("${FILE}", "rb") as file:`, `${INDENT}content = file.read()`];
const download = (url: string) => [`with urllib.request.urlopen("${url}") as response:`, `${INDENT}content = response.read()`];

const UPLOAD = [
  'boundary = uuid.uuid4().hex',
  'data = b"\\r\\n".join([',
  `${INDENT}f"--{boundary}".encode(),`,
  `${INDENT}b'Content-Disposition: form-data; name="documentType"', b"", b"${DOCUMENT_TYPE}",`,
  `${INDENT}f"--{boundary}".encode(),`,
  `${INDENT}b'Content-Disposition: form-data; name="file"; filename="${FILE}"', b"", content,`,
  `${INDENT}f"--{boundary}--".encode(), b"",`,
  '])',
];

/** The variable of a program for one of the environment. */
function nameOf(name: string): string {
  return RENAMED[name] ?? name.toLowerCase();
}

/** A value as a Python literal, or the variable that it names. */
function literalOf(value: unknown, values: Program['values'], indent = ''): string {
  const variable = variableIn(value);
  if (variable !== undefined) return values[variable] === undefined ? nameOf(variable) : JSON.stringify(values[variable]);
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}${INDENT}`;
  if (Array.isArray(value)) return `[${value.map((element) => literalOf(element, values, indent)).join(', ')}]`;
  const flat = flatOf(value, values);
  if (flat.length <= LINE_MAX) return flat;
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${literalOf(member, values, inner)},\n`,
  );
  return `{\n${members.join('')}${indent}}`;
}

function flatOf(value: object, values: Program['values']): string {
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${literalOf(member, values)}`)
    .join(', ')}}`;
}
