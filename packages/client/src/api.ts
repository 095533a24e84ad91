// API calls typed by the OpenAPI document: the path determines the types of request and response.
import { List } from './list.ts';
import type { paths } from './openapi.ts';
import { createReader } from './reader.ts';
import { type Created, lastSegment, pathOf, type Ref } from './reference.ts';
import type { Answer, Request, Send } from './send.ts';
import { Upload } from './upload.ts';

const STATEMENT = '/customers/{id}/statements/{month}';

type Method = 'get' | 'post' | 'delete';
type Path<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type Operation<P extends keyof paths, M extends Method> = paths[P][M & keyof paths[P]];
/** Other content than HAL, such as CSV, is text. */
type ContentOf<T> = T extends { content: infer C } ? Exclude<C[keyof C], string> : undefined;
/** The body of a 200 response. */
type Found<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: { 200: infer R } } ? ContentOf<R> : undefined;
/** The body of a 201 response. */
type Made<P extends keyof paths> = Operation<P, 'post'> extends { responses: { 201: infer R } } ? ContentOf<R> : never;
type BodyOf<T> = 'requestBody' extends keyof T ? NonNullable<T['requestBody']> : never;
/** The request body of a POST. */
export type Form<P extends keyof paths> = [BodyOf<Operation<P, 'post'>>] extends [never]
  ? undefined
  : BodyOf<Operation<P, 'post'>> extends { content: infer C }
    ? C['application/json' & keyof C]
    : undefined;
/** The query parameters of a list. */
export type Query<P extends keyof paths> =
  Operation<P, 'get'> extends { parameters: { query?: infer Q } }
    ? [NonNullable<Q>] extends [never]
      ? object
      : Partial<NonNullable<Q>>
    : object;
type ElementOf<L> = L extends { _embedded: infer E } ? (E[keyof E] extends (infer T)[] ? T : never) : never;
export type ListOf<L> = List<ElementOf<L>, L extends { total: infer Total } ? Total : undefined>;

type Statement = Found<typeof STATEMENT, 'get'>;
/** The month of a statement, such as 2026-01, and what it selects. */
export type Month = { month: string } & Query<typeof STATEMENT>;

export type CallOptions = {
  /** Aborts the call, including the wait between two attempts. */
  signal?: AbortSignal;
};

export type PostOptions = CallOptions & {
  /** 1 to 255 visible ASCII characters. Requests with the same key and body take effect once. Default: a new UUID for each call. */
  idempotencyKey?: string;
  /** Asks for the new resource as `body` of the result, which saves a call that reads it. Only for calls that create one. */
  representation?: boolean;
};

export type Api = ReturnType<typeof createApi>;

/** `send` adds the access token. */
export function createApi(send: Send, mediaType: string) {
  const call = (request: Request) => send({ ...request, headers: { accept: mediaType, ...request.headers } });
  const readText = createReader(call);

  async function read<T>(target: string, { signal }: CallOptions = {}): Promise<T> {
    return JSON.parse(await readText({ path: target, signal })) as T;
  }

  async function post(path: string, body: object | undefined, options: PostOptions = {}): Promise<Answer> {
    const { idempotencyKey = crypto.randomUUID(), representation, signal } = options;
    const { headers, content } = encode(body, mediaType);
    const sent = { ...headers, 'idempotency-key': idempotencyKey };
    if (representation) Object.assign(sent, { prefer: 'return=representation' });
    return call({ method: 'POST', path, headers: sent, body: content, signal });
  }

  return {
    /** Reads a path of the service. */
    read,

    /** Reads a path whose content is text. */
    async text<P extends Path<'get'>>(path: P, ref: Ref, { signal }: CallOptions = {}, query?: Query<P>): Promise<string> {
      const target = withQuery(pathOf(path, ref), query);
      return readText({ path: target, accept: 'text/plain', signal });
    },

    /** Reads a resource. */
    async get<P extends Path<'get'>>(
      path: P,
      ref: Ref | undefined,
      options?: CallOptions,
      query?: Query<P>,
    ): Promise<Found<P, 'get'>> {
      return read(withQuery(pathOf(path, ref), query), options);
    },

    /** Reads the statement of a month, as HAL. */
    async statement(customer: Ref, { month, ...query }: Month, options?: CallOptions): Promise<Statement> {
      return read(statementPath(customer, month, query), options);
    },

    /** Reads the statement of a month, as CSV. */
    async statementText(customer: Ref, { month, ...query }: Month, { signal }: CallOptions = {}): Promise<string> {
      const path = statementPath(customer, month, query);
      return (await call({ method: 'GET', path, headers: { accept: 'text/csv' }, signal })).text;
    },

    /** Reads the statement of a month, as PDF. */
    async statementFile(customer: Ref, { month, ...query }: Month, { signal }: CallOptions = {}): Promise<Blob> {
      const path = statementPath(customer, month, query);
      const { blob } = await call({ method: 'GET', path, headers: { accept: 'application/pdf' }, signal, asBlob: true });
      return blob!;
    },

    /** Returns a list that reads its pages as it is iterated. */
    list<P extends Path<'get'>>(path: P, ref: Ref | undefined, query?: Query<P>, options?: CallOptions) {
      const target = withQuery(pathOf(path, ref), query);
      return new List((at = target) => read(at, options)) as ListOf<Found<P, 'get'>>;
    },

    /** Creates a resource. */
    async create<P extends Path<'post'>>(
      path: P,
      ref: Ref | undefined,
      body: Form<P> | Upload,
      options?: PostOptions,
    ): Promise<Created<Made<P>>> {
      const { headers, text } = await post(pathOf(path, ref), body, options);
      const created: Created<Made<P>> = createdBy(headers);
      return text === '' ? created : { ...created, body: JSON.parse(text) };
    },

    /** Creates a resource that the response also contains, in `body`. */
    async submit<P extends Path<'post'>>(
      path: P,
      body: Form<P>,
      options?: PostOptions,
    ): Promise<Created<Made<P>> & { body: Made<P> }> {
      const { headers, text } = await post(path, body, options);
      return { ...createdBy(headers), body: JSON.parse(text) };
    },

    /** Changes a resource. */
    async change<P extends Path<'post'>>(
      path: P,
      ref: Ref | undefined,
      body: Form<P>,
      options?: PostOptions,
    ): Promise<Found<P, 'post'>> {
      return JSON.parse((await post(pathOf(path, ref), body, options)).text);
    },

    /** Removes a resource and returns its last state, if the response has it. Not retried automatically when no response arrived. */
    async remove<P extends Path<'delete'>>(path: P, ref: Ref, options: CallOptions = {}): Promise<Found<P, 'delete'>> {
      const request = { method: 'DELETE', path: pathOf(path, ref), headers: {}, signal: options.signal, once: true };
      const { text } = await call(request);
      return (text === '' ? undefined : JSON.parse(text)) as Found<P, 'delete'>;
    },
  };
}

function createdBy(headers: Headers): Omit<Created, 'body'> {
  const location = headers.get('location') ?? '';
  return { location, id: lastSegment(location), replayed: headers.get('idempotent-replayed') === 'true' };
}

function encode(body: object | undefined, mediaType: string): { headers: Record<string, string>; content?: Request['body'] } {
  if (body === undefined) return { headers: {} };
  if (body instanceof Upload) return { headers: { 'content-type': body.contentType }, content: body.bytes };
  return { headers: { 'content-type': mediaType }, content: JSON.stringify(body) };
}

function statementPath(customer: Ref, month: string, query: object): string {
  return withQuery(pathOf(STATEMENT, customer).replace('{month}', encodeURIComponent(month)), query);
}

function withQuery(path: string, query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one === undefined) continue;
      if (typeof one !== 'object') search.append(name, String(one));
      else for (const [key, text] of Object.entries(one)) search.append(`${name}[${key}]`, String(text));
    }
  }
  return search.size > 0 ? `${path}?${search}` : path;
}
