// Samples for the command line.
import {
  type Call,
  DOCUMENT_TYPE,
  FILE,
  fieldsOf,
  hasToken,
  kindOf,
  type Program,
  type Result,
  takesKey,
  variableIn,
} from './call.ts';

/** The longest value that is written in one line. */
const LINE_MAX = 64;

/** How a command takes a value from what curl prints. */
const TAKEN: Record<Result['take'], (call: Call) => string> = {
  location: () => "sed -n 's/^[Ll]ocation: //p' | tr -d '\\r'",
  first: ({ operation }) => `grep -o 'http[^"]*/${operation.path.split('/').at(-1)}/[^"]*' | head -n 1`,
  access_token: () => `grep -o '"access_token":"[^"]*"' | cut -d '"' -f 4`,
};

export function curlSample(program: Program): string {
  return program.calls.map((call) => commandOf(call, program)).join('\n\n');
}

function commandOf(call: Call, program: Program): string {
  const { operation, role, result } = call;
  const method = operation.method === 'delete' ? ' -X DELETE' : '';
  const content = contentOf(call, program);
  const post = operation.method === 'post' && content.length === 0 ? ' -X POST' : '';
  const options = [
    ...(hasToken(operation) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(operation.withCredentials ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...(takesKey(call) ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...content,
  ];
  const command = [`curl${flagsOf(call)}${method}${post} ${urlOf(call, program)}`, ...options].join(' \\\n  ');
  const download = kindOf(call) === 'upload' && program.specimen ? `curl -s ${program.specimen} -o ${FILE}\n\n` : '';
  if (!result) return `${download}${role === 'before' ? command.replace('curl', 'curl -s -o /dev/null') : command}`;
  return `${download}${result.name}=$(${command} |\n  ${TAKEN[result.take](call)})`;
}

/** A 201 has no body, only its Location. */
function flagsOf({ operation, role, result, isAwaited }: Call): string {
  if (result) return result.take === 'location' ? ' -si' : ' -s';
  if (isAwaited) return ' --retry 9';
  return role === 'main' && operation.success.location !== undefined ? ' -i' : '';
}

function urlOf({ on, rest }: Call, { values }: Program): string {
  const url = `${values[on] ?? `$${on}`}${rest}`;
  if (/[?&]/.test(url) || url === `$${on}`) return url.startsWith('$') ? `"${url}"` : quote(url);
  return url;
}

function contentOf(call: Call, { values }: Program): string[] {
  switch (kindOf(call)) {
    case 'json':
      return ['-H "Content-Type: application/json"', `-d ${quote(jsonOf(withValues(call.body, values)), unquoted)}`];
    case 'form':
      return fieldsOf(call).map(([name, value]) => `-d ${name}=${variableIn(value) ? `"${value}"` : value}`);
    case 'upload':
      return [`-F documentType=${DOCUMENT_TYPE}`, `-F "file=@${FILE}"`];
    case 'none':
      return [];
  }
}

/** The body with the variables that are known. */
function withValues(body: unknown, values: Program['values']): unknown {
  return JSON.parse(JSON.stringify(body), (_name, value) => values[variableIn(value) ?? ''] ?? value);
}

/** JSON in which a member takes one line if it fits. */
function jsonOf(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2');
  if (value === null || typeof value !== 'object' || flat.length <= LINE_MAX) return flat;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${jsonOf(member, inner)}`,
  );
  return `${isList ? '[' : '{'}\n${members.join(',\n')}\n${indent}${isList ? ']' : '}'}`;
}

function quote(text: string, expand = (escaped: string) => escaped): string {
  return `'${expand(text.replaceAll("'", `'\\''`))}'`;
}

/** Ends the quotes around a variable. */
function unquoted(json: string): string {
  return json.replace(/"(\$[A-Z_]+)"/g, `"'$1'"`);
}
