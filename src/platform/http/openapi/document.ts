// Types of the parts of an OpenAPI document that this folder reads and writes.
import type { ProblemName } from '../../../core/problems.ts';

export type Ref = { $ref: string };
export type Media = { schema: object; examples?: Record<string, { value: unknown }> };
type Content = Record<string, Media>;
export type Response = {
  description: string;
  headers?: Record<string, object>;
  content?: Content;
  /** The content of a response to a request that prefers it. */
  'x-representation'?: Content;
};
type Parameter = { in: string; schema: { type?: string }; style?: string; explode?: boolean };
export type Operation = {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, Response | Ref>;
  'x-problems'?: ProblemName[];
  'x-optional-body'?: boolean;
  'x-tagged'?: boolean;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas?: object; headers?: object; responses?: Record<string, Response> };
};
