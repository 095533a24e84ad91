// References to resources: a URL, an id, a representation, or the result of a creation.

/** The result of creating a resource. */
export type Created<T = unknown> = {
  /** The URL of the new resource. */
  location: string;
  id: string;
  /** Whether the service replayed the first response, because the idempotency key was used before. */
  replayed: boolean;
  /** The resource, if the call has the option `representation`, and the application may read it. */
  body?: T;
};

export type Ref = string | Pick<Created, 'location'> | { _links: { self: { href: string } } };

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the path of a resource: `/labels/{id}` and a label's URL give `/labels/0198…`. Throws a TypeError for another kind of resource. */
export function pathOf(template: string, ref: Ref | undefined): string {
  if (ref === undefined) return template;
  const collection = template.slice(1, template.indexOf('/{id}'));
  return template.replace('{id}', idOf(collection, ref));
}

/** Returns the URL of a resource, for a request body. */
export function hrefOf(baseUrl: string, collection: string, ref: Ref): string {
  const id = idOf(collection, ref);
  const text = textOf(ref);
  return text === id ? `${baseUrl}/${collection}/${id}` : text;
}

/** Returns the collection in a URL, such as `beneficial-owners`; undefined for an id. */
export function collectionOf(ref: Ref): string | undefined {
  return parseUrl(textOf(ref))?.pathname.split('/')[1];
}

/**
 * Returns the path and query of a link. Drops the host, because the token must only go to the service of this client.
 * Throws a TypeError unless the URL is http or https: the path of other URLs may lack the leading slash, which would change the host.
 */
export function targetOf(href: string): string {
  const url = parseUrl(href);
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`Not an http or https URL: ${href}`);
  return `${url.pathname}${url.search}`;
}

export function lastSegment(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** `URL.parse` does not exist in Node.js 20. */
function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function textOf(ref: Ref): string {
  if (typeof ref === 'string') return ref;
  return 'location' in ref ? ref.location : ref._links.self.href;
}

function idOf(collection: string, ref: Ref): string {
  const text = textOf(ref);
  if (ID.test(text)) return text;
  const path = parseUrl(text)?.pathname ?? '';
  const id = lastSegment(path);
  if (path === `/${collection}/${id}` && ID.test(id)) return id;
  throw new TypeError(`Not a reference to one of ${collection}: ${text}`);
}
