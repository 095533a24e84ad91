// Types of the complete OpenAPI document as the documentation reads it, and the resolution of references.

export type Schema = {
  $ref?: string;
  title?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
};

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema };
type Media = { schema?: Schema; examples?: Record<string, { value: unknown }> };
export type Response = {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref?: string; description?: string; example?: unknown; schema?: Schema }>;
  content?: Record<string, Media>;
  /** The content of a response to a request that prefers it. */
  'x-representation'?: Record<string, Media>;
};
export type OpenApiOperation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: [string];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
};
export type OpenApi = {
  info: { description: string; version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, { post: OpenApiOperation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
};

/** Returns the node that a reference names, with the members beside the reference; other nodes unchanged. */
export function resolve<T extends { $ref?: string }>(document: OpenApi, node: T): T {
  if (node.$ref === undefined) return node;
  const [kind, name] = node.$ref.split('/').slice(-2) as ['schemas' | 'responses', string];
  const { $ref, ...beside } = node;
  return { ...(document.components[kind][name] as unknown as T), ...beside };
}

/** The name of a shared schema, such as `Amount`; undefined for one without a name. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}
