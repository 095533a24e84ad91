// How callers name a resource: by its URL, its id, itself, or what its creation answered.

/** What the creation of a resource answers. */
export type Created = {
  /** The URL of the new resource. */
  location: string;
  id: string;
  /** Whether this is the first answer again, to an idempotency key that was used before. */
  replayed: boolean;
};

export type Ref = string | Pick<Created, 'location'> | { _links: { self: { href: string } } };

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The path of a resource: `/labels/{id}` and its URL give `/labels/0198…`. Throws a TypeError for a resource of another kind. */
export function pathOf(template: string, ref: Ref | undefined): string {
  if (ref === undefined) return template;
  const collection = template.slice(1, template.indexOf('/{id}'));
  return template.replace('{id}', idOf(collection, ref));
}

/** The URL of a resource, for the body of a request. */
export function hrefOf(baseUrl: string, collection: string, ref: Ref): string {
  const id = idOf(collection, ref);
  const text = textOf(ref);
  return text === id ? `${baseUrl}/${collection}/${id}` : text;
}

/** The collection that a URL is of: `beneficial-owners`. */
export function collectionOf(ref: Ref): string | undefined {
  return URL.parse(textOf(ref))?.pathname.split('/')[1];
}

/**
 * The path and query of a link. Its host does not matter: a token goes to the service of this client only.
 * Throws a TypeError for what is no URL of the web: the path of another kind need not begin with a slash, and would go on a host's name.
 */
export function targetOf(href: string): string {
  const url = URL.parse(href);
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError(`This is no http or https URL: ${href}`);
  return `${url.pathname}${url.search}`;
}

export function lastSegment(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

function textOf(ref: Ref): string {
  if (typeof ref === 'string') return ref;
  return 'location' in ref ? ref.location : ref._links.self.href;
}

function idOf(collection: string, ref: Ref): string {
  const text = textOf(ref);
  if (ID.test(text)) return text;
  const path = URL.parse(text)?.pathname ?? '';
  const id = lastSegment(path);
  if (path === `/${collection}/${id}` && ID.test(id)) return id;
  throw new TypeError(`This names none of ${collection}: ${text}`);
}
