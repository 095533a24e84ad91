// The client of an Earmark service: credentials in, typed calls out.
import { type CallOptions, type ElementOf, openApi } from './api.ts';
import { type Linked, linkOf, type Rel, type Target } from './links.ts';
import { List } from './list.ts';
import type { Root } from './openapi.ts';
import { targetOf } from './reference.ts';
import { openRooms, type Rooms } from './rooms.ts';
import { openSend } from './send.ts';
import { openTokens, type Tokens } from './token.ts';

export type EarmarkOptions = {
  /** The base URL of the service (its PUBLIC_URL). */
  url: string;
  clientId: string;
  clientSecret: string;
  /** How often a request is repeated that got no answer, or one that asks to try again; 5 unless given, about six seconds in all. */
  maxRetries?: number;
  /** How long an attempt may take; 30 seconds unless given. */
  timeoutMs?: number;
  /** The word in the service's media type (its MEDIA_TYPE_VENDOR); earmark unless given. */
  mediaTypeVendor?: string;
  /** Sends in place of the global fetch: through a proxy, or in a test. */
  fetch?: typeof fetch;
};

const MAX_RETRIES = 5;
const TIMEOUT_MS = 30_000;

/** The calls, by the kind of their resource. */
export interface Earmark extends Rooms {}

/**
 * A client of one service and application.
 *
 * Every POST carries an Idempotency-Key, so that it is repeated safely when the network or the service fails for a moment.
 * Resources are named by URL, id, themselves, or what their creation answered. Refusals are thrown as an EarmarkError, by its
 * classes: `ValidationError`, `NotFoundError` and so on; no answer is a ConnectionError.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor assigns every room
export class Earmark {
  readonly #tokens: Tokens;
  readonly #read: <T>(target: string, options?: CallOptions) => Promise<T>;

  constructor(options: EarmarkOptions) {
    const { mediaTypeVendor = 'earmark', maxRetries = MAX_RETRIES, timeoutMs = TIMEOUT_MS } = options;
    const url = options.url.replace(/\/$/, '');
    // Looked up at each call: whoever replaces the global fetch afterwards is heard.
    const send = openSend({ url, fetch: options.fetch ?? ((...call) => fetch(...call)), maxRetries, timeoutMs });
    this.#tokens = openTokens(send, options);
    const api = openApi(send, this.#tokens, `application/vnd.${mediaTypeVendor}.v1.hal+json`);
    this.#read = api.read;
    Object.assign(this, openRooms(api, url));
  }

  /** Where everything begins: links to the account and what it has. */
  root(options?: CallOptions): Promise<Root> {
    return this.#read('/', options);
  }

  /** Reads what a link of a resource leads to: `follow(entry, 'label')`. Throws a LinkError where there is no such link now. */
  async follow<R extends Linked, L extends Rel<R>>(resource: R, rel: L, options?: CallOptions): Promise<Target<R, L>> {
    return this.#read(targetOf(linkOf(resource, rel)), options);
  }

  /** The elements of the list that a link leads to: `each(customer, 'labels')`. */
  each<R extends Linked, L extends Rel<R>>(resource: R, rel: L, options?: CallOptions): List<ElementOf<Target<R, L>>> {
    const first = targetOf(linkOf(resource, rel));
    return new List((target = first) => this.#read(target, options));
  }

  /** A valid access token, for requests of your own. */
  accessToken(): Promise<string> {
    return this.#tokens.current();
  }
}
