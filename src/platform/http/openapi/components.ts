// Moves schemas with a title to the components of the OpenAPI document, and replaces them by references.
import { isDeepStrictEqual } from 'node:util';
import { CHECKED_LATER } from '../../../core/schema.ts';
import { WHEN } from '../links.ts';

type Node = Record<string, unknown>;

/** Keywords whose content is data, not a schema. */
const VALUES = new Set(['example', 'examples', 'enum', 'const', 'default', 'required']);

/**
 * `hoist` returns a tree with references in place of titled schemas, and `schemas` all those by title. Throws if two differ under one
 * title.
 */
export function openSchemas(): { hoist<T>(tree: T): T; schemas(): Record<string, Node> } {
  const schemas: Record<string, Node> = {};
  const rewrite = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(rewrite);
    if (node === null || typeof node !== 'object') return node;
    const entries = Object.entries(node).map(([name, value]) => [name, VALUES.has(name) ? value : rewrite(value)]);
    const shown = typed(Object.fromEntries(entries) as Node);
    const { title, [WHEN]: when, [CHECKED_LATER]: checkedLater, ...rest } = shown;
    const schema = { ...rest, ...(checkedLater as Node) };
    if (typeof title !== 'string' || !isSchema(schema)) return title === undefined ? schema : { title, ...schema };
    schemas[title] ??= schema;
    if (!isDeepStrictEqual(schemas[title], schema)) throw new Error(`Two different schemas are titled ${title}.`);
    return { $ref: `#/components/schemas/${title}`, ...(when !== undefined && { description: when }) };
  };
  return {
    hoist: <T>(tree: T) => rewrite(tree) as T,
    schemas: () => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function isSchema(node: Node): boolean {
  return ['type', 'enum', 'oneOf', 'anyOf', 'allOf'].some((keyword) => keyword in node);
}

/** Adds the type of an enumeration, which validation does not need but readers of the document do. */
function typed(rewritten: Node): Node {
  const values = rewritten.enum;
  if (Array.isArray(values) && !rewritten.type && values.every((value) => typeof value === 'string')) {
    return { type: 'string', ...rewritten };
  }
  return rewritten;
}
