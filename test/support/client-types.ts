// Generates the types of the client from the OpenAPI document.
import { registerHooks } from 'node:module';

type Node = Record<string, unknown>;

const HEADER = `// The types of the interface, made of openapi.json by \`npm run openapi\`. Changes by hand are lost.\n\n`;
/** The client's types cover successful answers only; refusals are error classes. */
const SUCCESS = ['200', '201'];

// The generator prints through the JavaScript API of TypeScript, which version 7 no longer has.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript5' : specifier, context),
});

/** Returns the source text of the types of a document. */
export async function clientTypes(document: Node): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const tree = await openapiTS(essence(document) as never, { rootTypes: true, rootTypesNoSchemaPrefix: true, silent: true });
  return `${HEADER}${astToString(tree)}`;
}

function essence(document: Node): Node {
  const { paths, components, ...rest } = document as { paths: Record<string, Record<string, Node>>; components: Node };
  const operations = ({ responses, parameters = [], ...operation }: Node): Node => ({
    ...operation,
    parameters: (parameters as Node[]).filter((parameter) => parameter.in !== 'header'),
    responses: Object.fromEntries(
      Object.entries(responses as Record<string, Node>)
        .filter(([status]) => SUCCESS.includes(status))
        .map(([status, { headers, ...response }]) => [status, response]),
    ),
  });
  const essential = mapValues(paths, (methods) => mapValues(methods, operations));
  return { ...rest, webhooks: undefined, paths: essential, components: { schemas: components.schemas } };
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
