// The parts of an OpenAPI document that requests are made from.

export type Schema = {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};
export type Parameter = { in: string; name: string; schema: Schema };
export type Operation = {
  operationId: string;
  description: string;
  method: string;
  path: string;
  tags: string[];
  parameters: Parameter[];
  /** Media type and schema of the body, if any. */
  body: { type: string; schema: Schema; required: boolean } | undefined;
};

type Described = {
  operationId: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
};
export type Document = { paths: Record<string, Record<string, Described>>; components?: object };

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, description = '', tags = [], parameters = [], requestBody }]) => {
      const [body] = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({
        ...{ type, schema, required: requestBody?.required ?? false },
      }));
      return { operationId, description, method: method.toUpperCase(), path, tags, parameters, body };
    }),
  );
}

/** A schema with its reference resolved. */
export function resolve(document: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  let found: unknown = document;
  for (const name of schema.$ref.slice(2).split('/')) found = (found as Record<string, unknown>)[name];
  return resolve(document, found as Schema);
}
