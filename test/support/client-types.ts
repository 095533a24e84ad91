// Generates the types of the client from the OpenAPI document.
import { mapValues } from './map-values.ts';
import './typescript5.ts';

type Node = Record<string, unknown>;

const HEADER = '// The types of the interface, made of openapi.json by `npm run openapi`. Changes by hand are lost.\n\n';
/** The client's types cover successful answers only; refusals are error classes. */
const SUCCESS = ['200', '201'];

/** What the generator writes for everything that an operation does not have. The client's types need only `query?: never`. */
const ABSENT =
  / *(?:parameters: \{\n(?: +\w+\?: never;\n){4} *\}|(?:header|path|cookie|requestBody|get|put|post|delete|options|head|patch|trace)\?: never);\n/g;
const ANY_HEADERS = / *headers: \{\n *\[name: string\]: unknown;\n *\};\n/g;

/** Schemas become types with names, which editors and declarations show instead of their members. */
const PARTS = /^(export interface paths .*?^\}\n).*?^ {4}schemas: \{\n(.*?)^ {4}\};\n.*^(export interface operations .*)/ms;

/** Texts would be a fifth of the package. The reference has them. */
const COMMENT = /^ *\/\*\*.*?\*\/\n/gms;

/** Returns the source text of the types of a document. */
export async function clientTypes(document: Node): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const tree = await openapiTS(essence(document) as never, { silent: true });
  const text = astToString(tree).replace(ABSENT, '').replace(ANY_HEADERS, '');
  const [, paths, schemas, operations] = PARTS.exec(text)!;
  const named = schemas!
    .replace(/^ {8}/gm, '')
    .replace(/^(\w+): \{\n((?: .*\n)*)\};$/gm, 'export interface $1 {\n$2}')
    .replace(/^(\w+): /gm, 'export type $1 = ');
  const all = [HEADER, paths, named, operations].join('').replace(/components\["schemas"\]\["(\w+)"\]/g, '$1');
  return all.replaceAll('    ', '  ').replace(COMMENT, '');
}

/** What monitoring and libraries of OAuth read, and the client does not call. */
const NOT_CALLED = /^\/(health\/|metrics$|\.well-known\/)/;

/** Without what the calls of the client say themselves: headers and ids in paths. */
function essence(document: Node): Node {
  const { paths, components, ...rest } = document as { paths: Record<string, Record<string, Node>>; components: Node };
  const operations = ({ responses, parameters = [], ...operation }: Node): Node => ({
    ...operation,
    parameters: (parameters as Node[]).filter((parameter) => parameter.in === 'query'),
    responses: Object.fromEntries(
      Object.entries(responses as Record<string, Node>)
        .filter(([status]) => SUCCESS.includes(status))
        .map(([status, { headers, 'x-representation': representation, ...response }]) => [
          status,
          { ...(representation !== undefined && { content: representation }), ...response },
        ]),
    ),
  });
  const called = Object.fromEntries(Object.entries(paths).filter(([path]) => !NOT_CALLED.test(path)));
  const essential = mapValues(called, (methods) => mapValues(methods, operations));
  return { ...rest, webhooks: undefined, paths: essential, components: { schemas: components.schemas } };
}
