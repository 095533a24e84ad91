// Links: `{href, type, resource-type}` with absolute URLs, and parsing of such URLs.
import { isId, type Resource } from '../../core/ids.ts';
import type { Fault } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import type { Config } from '../config/config.ts';

type Link = { href: string; type: string; 'resource-type': string };
export type Links = ReturnType<typeof openLinks>;

/** Schema keyword for when a link is present, set by `linkWhen`. */
export const WHEN = 'x-when';

export const LinkSchema = Type.Object(
  { href: Type.String({ format: 'uri' }), type: Type.String(), 'resource-type': Type.String() },
  { title: 'Link', description: 'A link to a resource. A link for an action is present only while the action is allowed.' },
);

/** An optional link. `when` describes its condition in the OpenAPI document. */
export function linkWhen(when: string) {
  return Type.Optional({ ...LinkSchema, [WHEN]: when });
}

/**
 * Creates the links of a service. A resource's path follows from its type: `label-reallocation` → `/label-reallocations/{id}`.
 * Reads the base URL at each use, as with PORT=0 it is known only once the service listens.
 */
export function openLinks(config: Pick<Config, 'publicUrl' | 'mediaTypeVendor'>) {
  const mediaType = `application/vnd.${config.mediaTypeVendor}.v1.hal+json`;
  const url = (path: string) => `${config.publicUrl}${path}`;
  const link = (path: string, resourceType: string): Link => ({
    href: url(path),
    type: mediaType,
    'resource-type': resourceType,
  });
  return {
    mediaType,
    url,
    link,
    to: (resourceType: string, id: string) => link(pathOf(resourceType, id), resourceType),
    /** Returns the URL of a resource, for a Location header. */
    locate: (resource: Resource) => url(pathOf(resource.type, resource.id)),
    /** Returns the id in a resource's URL, or undefined if the text is not the URL of such a resource of this service. */
    idIn(href: string, resourceType: string): string | undefined {
      const prefix = url(pathOf(resourceType, ''));
      const id = href.slice(prefix.length);
      return href.startsWith(prefix) && isId(id) ? id : undefined;
    },
    /** The fault of a text at `path` that is not the URL of such a resource. */
    faultOf(href: string, resourceType: string, path: string): Fault {
      const prefix = url(pathOf(resourceType, ''));
      const wrong = href.startsWith(prefix)
        ? `end with the id of a ${resourceType}, a UUID in lower case`
        : `begin with ${prefix}`;
      return { code: 'InvalidFormat', message: `The URL of a ${resourceType} must ${wrong}.`, path };
    },
  };
}

/** `label` → `/labels/{id}`, `ledger-entry` → `/ledger-entries/{id}` */
export function pathOf(resourceType: string, id: string): string {
  return `/${resourceType.replace(/y$/, 'ie').replace(/ch$/, 'che')}s/${id}`;
}
