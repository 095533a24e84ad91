// The client class of an Earmark service.
import { type CallOptions, createApi, type ListOf } from './api.ts';
import { createProver } from './keys.ts';
import { type Linked, linkOf, type Rel, type Target } from './links.ts';
import { List } from './list.ts';
import type { AccessToken, Root } from './openapi.ts';
import { pathOf, type Ref, targetOf } from './reference.ts';
import { type Resources, resourceCalls } from './resources.ts';
import { createSend } from './send.ts';
import { type Authorization, type Tokens, tokensOf, withToken } from './token.ts';

/** The service and its tokens: `clientId` with `clientSecret` or `privateKey`, or `token`. */
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

type CustomerTokenOptions = CallOptions & {
  /** What the token can do, as far as the application can. Default: only read. */
  actions?: ('read' | 'write')[];
  proof?: string | undefined;
};

const MAX_RETRIES = 5;
const TIMEOUT_MS = 30_000;

/** Not private fields: those would make the types of two copies of this package incompatible, such as that of `earmark/testing`. */
type Internals = { url: string; tokens: Tokens; read: <T>(target: string, options?: CallOptions) => Promise<T> };
const internals = new WeakMap<Earmark, Internals>();

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
    const ownFetch: typeof fetch = options.fetch ?? ((...call) => fetch(...call));
    const prover = options.dpop ? createProver(url, options.dpop) : undefined;
    const send = createSend({ url, fetch: ownFetch, maxRetries, timeoutMs, prover });
    const tokens = tokensOf(send, url, options, prover);
    const api = createApi(withToken(send, tokens, prover), `application/vnd.${mediaTypeVendor}.v1.hal+json`);
    internals.set(this, { url, tokens, read: api.read });
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
  each<R extends Linked, L extends Rel<R>>(resource: R, rel: L, options?: CallOptions): ListOf<Target<R, L>> {
    const first = targetOf(linkOf(resource, rel));
    const { read } = internals.get(this)!;
    return new List((target = first) => read(target, options)) as ListOf<Target<R, L>>;
  }

  /**
   * Requests a token that can use one customer only, for a web page or a partner. `proof`: what a page with `dpop` gives to its
   * function `token`; it binds the token to the key of the page.
   */
  customerToken(customer: Ref, { actions = ['read'], proof, signal }: CustomerTokenOptions = {}): Promise<AccessToken> {
    const { tokens, url } = internals.get(this)!;
    const identifiers = [`${url}${pathOf('/customers/{id}', customer)}`];
    const authorization_details = JSON.stringify([{ type: 'customer', identifiers, actions }]);
    return tokens.request({ authorization_details }, proof, signal);
  }

  /** Returns an access token, for requests that this client does not cover. */
  accessToken(): Promise<string> {
    return internals.get(this)!.tokens.current();
  }
}
