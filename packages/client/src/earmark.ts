// The client class of an Earmark service.
import { type CallOptions, createApi, type ElementOf } from './api.ts';
import { type Linked, linkOf, type Rel, type Target } from './links.ts';
import { List } from './list.ts';
import type { Root } from './openapi.ts';
import { targetOf } from './reference.ts';
import { type Resources, resourceCalls } from './resources.ts';
import { createSend } from './send.ts';
import { type Authorization, type Tokens, tokensOf, withToken } from './token.ts';

/** The service and its tokens: either `clientId` and `clientSecret`, or `token`. */
export type EarmarkOptions = ServiceOptions & Authorization;

type ServiceOptions = {
  /** The base URL of the service (its PUBLIC_URL). */
  url: string;
  /** Retries after no response, or after a response that asks for a retry. Default 5, about six seconds in total. */
  maxRetries?: number;
  /** Time limit of one attempt. Default 30 seconds. */
  timeoutMs?: number;
  /** The vendor in the service's media type (its MEDIA_TYPE_VENDOR). Default `earmark`. */
  mediaTypeVendor?: string;
  /** Replaces the global fetch, for example to use a proxy or in a test. */
  fetch?: typeof fetch;
};

const MAX_RETRIES = 5;
const TIMEOUT_MS = 30_000;

/** Not private fields: those would make the types of two copies of this package incompatible, such as that of `earmark/testing`. */
const internals = new WeakMap<Earmark, { tokens: Tokens; read: <T>(target: string, options?: CallOptions) => Promise<T> }>();

/** The calls, grouped by resource. */
export interface Earmark extends Resources {}

/**
 * A client of one service, with the credentials or the tokens of one application.
 *
 * Every POST carries an Idempotency-Key, so it is retried safely after a network failure or a temporary failure of the service.
 * Resources are referenced by URL, id, representation, or the result of their creation. Error responses are thrown as subclasses of
 * EarmarkError (`ValidationError`, `NotFoundError` and so on), a missing response as ConnectionError.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor assigns every resource
export class Earmark {
  constructor(options: EarmarkOptions) {
    const { mediaTypeVendor = 'earmark', maxRetries = MAX_RETRIES, timeoutMs = TIMEOUT_MS } = options;
    const url = options.url.replace(/\/$/, '');
    // Looks up the global fetch for each call, so that replacing it later takes effect.
    const send = createSend({ url, fetch: options.fetch ?? ((...call) => fetch(...call)), maxRetries, timeoutMs });
    const tokens = tokensOf(send, options);
    const api = createApi(withToken(send, tokens), `application/vnd.${mediaTypeVendor}.v1.hal+json`);
    internals.set(this, { tokens, read: api.read });
    Object.assign(this, resourceCalls(api, url));
  }

  /** Reads the root: links to the account and its collections. */
  root(options?: CallOptions): Promise<Root> {
    return internals.get(this)!.read('/', options);
  }

  /** Reads the target of a link: `follow(entry, 'label')`. Throws a LinkError when the resource does not have the link now. */
  async follow<R extends Linked, L extends Rel<R>>(resource: R, rel: L, options?: CallOptions): Promise<Target<R, L>> {
    return internals.get(this)!.read(targetOf(linkOf(resource, rel)), options);
  }

  /** Returns the list that a link points to: `each(customer, 'labels')`. */
  each<R extends Linked, L extends Rel<R>>(resource: R, rel: L, options?: CallOptions): List<ElementOf<Target<R, L>>> {
    const first = targetOf(linkOf(resource, rel));
    const { read } = internals.get(this)!;
    return new List((target = first) => read(target, options));
  }

  /** Returns an access token, for requests that this client does not cover. */
  accessToken(): Promise<string> {
    return internals.get(this)!.tokens.current();
  }
}
