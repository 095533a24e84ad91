// Links: `{href, type, resource-type}` with absolute URLs, and the way back from a URL to the id it names.
import Type from 'typebox';
import type { Config } from '../config.ts';
import { isId } from '../ids.ts';

export type Link = { href: string; type: string; 'resource-type': string };
export type Links = ReturnType<typeof openLinks>;

/** The keyword of a schema that says when it applies, for `linkWhen`. */
export const WHEN = 'x-when';

export const LinkSchema = Type.Object(
  { href: Type.String({ format: 'uri' }), type: Type.String(), 'resource-type': Type.String() },
  { title: 'Link', description: 'A link to a resource. A link for an action is present only while that action is legal now.' },
);

/** A link that is there only sometimes. `when` says so in words that the OpenAPI document shows beside it. */
export function linkWhen(when: string) {
  return Type.Optional({ ...LinkSchema, [WHEN]: when });
}

/**
 * The links of one service. A resource's path follows from its kind: `label-reallocation` lives at `/label-reallocations/{id}`.
 * The base URL is read at each use, as it is known only once the service listens when PORT is 0.
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
    /** A link to any path. */
    link,
    /** A link to a resource. */
    to: (resourceType: string, id: string) => link(pathOf(resourceType, id), resourceType),
    /** The URL of a resource, as in a Location header. */
    locate: (resource: { type: string; id: string }) => url(pathOf(resource.type, resource.id)),
    /** The id in a resource's URL, or undefined when the text is no URL of such a resource of this service. */
    idIn(href: string, resourceType: string): string | undefined {
      const prefix = url(pathOf(resourceType, ''));
      const id = href.slice(prefix.length);
      return href.startsWith(prefix) && isId(id) ? id : undefined;
    },
  };
}

/** `label` → `/labels/{id}`, `ledger-entry` → `/ledger-entries/{id}` */
function pathOf(resourceType: string, id: string): string {
  return `/${resourceType.endsWith('y') ? `${resourceType.slice(0, -1)}ies` : `${resourceType}s`}/${id}`;
}
