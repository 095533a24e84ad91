// The builders of schemas that Earmark uses, with the types of TypeBox. Loading all of TypeBox took a third of the start of a command.
import type { Type as TypeBox } from 'typebox';

type Builders = Pick<
  typeof TypeBox,
  'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Literal' | 'Object' | 'Optional' | 'Partial' | 'String' | 'Union' | 'Unsafe'
>;
type Schema = Record<string, unknown>;
type Properties = Record<string, Schema>;

/** Marks optional members as TypeBox does: not enumerable, so that no document shows it. */
const OPTIONAL = '~optional';

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options?: Schema) => ({ enum: values, ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Object: buildObject,
  Optional: markOptional,
  Partial: ({ properties }: { properties: Properties }, options?: Schema) =>
    buildObject(Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, markOptional(member)])), options),
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => schema,
};

export const Type = builders as unknown as Builders;

function buildObject(properties: Properties, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function markOptional(schema: Schema): Schema {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
}
