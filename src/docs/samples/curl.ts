// Samples for the command line.
import { type Call, DOCUMENT_TYPE, FILE, fieldsOf, hasToken, kindOf, takesKey } from './call.ts';

export function curlSample(call: Call): string {
  const { operation, baseUrl, path } = call;
  const url = `${baseUrl}${path}`;
  // A 201 has no body, only its Location.
  const flags = operation.success.location === undefined ? '' : ' -i';
  const method = operation.method === 'delete' ? ' -X DELETE' : '';
  const content = contentOf(call);
  const post = operation.method === 'post' && content.length === 0 ? ' -X POST' : '';
  const options = [
    ...(hasToken(operation) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(operation.withCredentials ? ['-u "$CLIENT_ID:$CLIENT_SECRET"'] : []),
    ...(takesKey(operation) ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...content,
  ];
  return [`curl${flags}${method}${post} ${/[?&]/.test(url) ? quote(url) : url}`, ...options].join(' \\\n  ');
}

function contentOf(call: Call): string[] {
  switch (kindOf(call)) {
    case 'json':
      return ['-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(call.body, null, 2))}`];
    case 'form':
      return fieldsOf(call).map(([name, value]) => (name === 'token' ? '-d token="$TOKEN"' : `-d ${name}=${value}`));
    case 'upload':
      return [`-F documentType=${DOCUMENT_TYPE}`, `-F "file=@${FILE}"`];
    case 'none':
      return [];
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
