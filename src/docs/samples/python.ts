// Samples in Python, with the standard library only.
import { type Call, DOCUMENT_TYPE, FILE, fieldsOf, hasToken, kindOf, takesKey } from './call.ts';

const INDENT = '    ';

export function pythonSample(call: Call): string {
  const { operation, baseUrl, path } = call;
  const kind = kindOf(call);
  const isJson = /json/.test(operation.success.mediaType);
  const modules = [
    ...(operation.withCredentials ? ['base64'] : []),
    ...(kind === 'json' || isJson ? ['json'] : []),
    ...(hasToken(operation) || operation.withCredentials ? ['os'] : []),
    ...(kind === 'form' ? ['urllib.parse'] : []),
    'urllib.request',
    ...(takesKey(operation) || kind === 'upload' ? ['uuid'] : []),
  ];
  const headers = headersOf(call);
  const members = [
    JSON.stringify(`${baseUrl}${path}`),
    ...(operation.method === 'get' ? [] : [`method="${operation.method.toUpperCase()}"`]),
    ...(headers.length > 0 ? [`headers={\n${headers.map((line) => `${INDENT}${INDENT}${line},\n`).join('')}${INDENT}}`] : []),
    ...(kind === 'none' ? [] : ['data=data']),
  ];
  const request = members.map((member) => `${INDENT}${member},\n`).join('');
  const shown = operation.success.location === undefined ? bodyOf(isJson) : 'response.headers["Location"]';
  return [
    `import ${modules.join('\nimport ')}\n`,
    ...preparation(call),
    `request = urllib.request.Request(\n${request})`,
    'with urllib.request.urlopen(request) as response:',
    `${INDENT}print(${shown})`,
  ].join('\n');
}

function bodyOf(isJson: boolean): string {
  return isJson ? 'json.load(response)' : 'response.read().decode()';
}

function headersOf(call: Call): string[] {
  const { operation } = call;
  return [
    ...(hasToken(operation) ? [`"Authorization": f"Bearer {os.environ['TOKEN']}"`] : []),
    ...(operation.withCredentials ? ['"Authorization": f"Basic {credentials}"'] : []),
    ...(kindOf(call) === 'json' ? ['"Content-Type": "application/json"'] : []),
    ...(kindOf(call) === 'upload' ? ['"Content-Type": f"multipart/form-data; boundary={boundary}"'] : []),
    ...(takesKey(operation) ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
}

/** The lines before the request: credentials, and the encoded body as `data`. */
function preparation(call: Call): string[] {
  const credentials = [
    `credentials = base64.b64encode(f"{os.environ['CLIENT_ID']}:{os.environ['CLIENT_SECRET']}".encode()).decode()`,
  ];
  const lines = call.operation.withCredentials ? credentials : [];
  const kind = kindOf(call);
  if (kind === 'json') return [...lines, `data = json.dumps(${literalOf(call.body)}).encode()`];
  if (kind === 'form') {
    const fields = fieldsOf(call).map(([name, value]) => `"${name}": ${name === 'token' ? "os.environ['TOKEN']" : `"${value}"`}`);
    return [...lines, `data = urllib.parse.urlencode({${fields.join(', ')}}).encode()`];
  }
  if (kind === 'upload') return [...lines, ...UPLOAD];
  return lines;
}

const UPLOAD = [
  'boundary = uuid.uuid4().hex',
  `with open("${FILE}", "rb") as file:`,
  `${INDENT}content = file.read()`,
  'data = b"\\r\\n".join([',
  `${INDENT}f"--{boundary}".encode(),`,
  `${INDENT}b'Content-Disposition: form-data; name="documentType"', b"", b"${DOCUMENT_TYPE}",`,
  `${INDENT}f"--{boundary}".encode(),`,
  `${INDENT}b'Content-Disposition: form-data; name="file"; filename="${FILE}"', b"", content,`,
  `${INDENT}f"--{boundary}--".encode(), b"",`,
  '])',
];

/** A value as a Python literal. */
function literalOf(value: unknown, indent = ''): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}${INDENT}`;
  if (Array.isArray(value)) return `[${value.map((element) => literalOf(element, indent)).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${literalOf(member, inner)},\n`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}
