// Lists: `_embedded`, `total`, and links to the first, previous, next and last page.
import type { Static, TInteger, TSchema } from 'typebox';
import { Type } from '../../core/type.ts';
import { LinkSchema, type Links, linkWhen } from './links.ts';

export type Page = Static<typeof PageQuery>;

const LIMIT = { minimum: 1, maximum: 200, default: 25 };

/** Maximum offset of a long list; further pages are read with `after`. */
const LONG_OFFSET_MAX = 10_000;

// Optional for clients, but typed as required: the query compiler sets the defaults.
const limit: TInteger = Type.Optional(Type.Integer({ ...LIMIT, description: 'Maximum number of elements on a page.' }));
const offset = (maximum: number): TInteger =>
  Type.Optional(Type.Integer({ format: 'int64', minimum: 0, maximum, default: 0, description: 'Number of elements to skip.' }));

export const PageQuery = Type.Object({ limit, offset: offset(Number.MAX_SAFE_INTEGER) });

/** The query of a list that is not paged. */
export const NoQuery = Type.Object({});

export const IdSchema = Type.String({ format: 'uuid' });

/** The query of a long list. `after` costs the same on every page, unlike `offset`. */
export const LongPageQuery = Type.Object({
  limit,
  offset: offset(LONG_OFFSET_MAX),
  after: Type.Optional({ ...IdSchema, description: 'Return the elements after the one with this id.' }),
});

export const IdParams = Type.Object({ id: { ...IdSchema, description: 'Id of the resource.' } });

const PageLinks = Type.Object(
  {
    self: LinkSchema,
    first: LinkSchema,
    last: LinkSchema,
    next: linkWhen('Present unless this is the last page.'),
    prev: linkWhen('Present with `offset`, unless this is the first page. Past the end of the list it links to the last page.'),
  },
  { title: 'PageLinks', description: 'Links to the other pages of a list.' },
);

/** Creates the schema of a list of `element`s, embedded under `name`. Its title follows from that of the element, which must have one. */
export function ListOf<N extends string, T extends TSchema & { title?: string }>(
  name: N,
  element: T,
  title = `${element.title}List`,
) {
  return Type.Object(
    {
      _links: PageLinks,
      _embedded: Type.Object({ [name]: Type.Array(element, { maxItems: LIMIT.maximum }) }),
      total: Type.Integer({ minimum: 0 }),
    },
    { title },
  );
}

type List<T> = {
  path: string;
  name: string;
  resourceType: string;
  /** The page's elements, plus one more if there is a next page. */
  elements: T[];
  total: number;
  /** The filters of the request, repeated in every link. */
  filters?: Record<string, string | string[] | undefined>;
  /** Id of the element before the last page, if that page is beyond the maximum offset (`beforeLastPage`). */
  beforeLast?: string | undefined;
  /** Whether the list supports `after`: then the next link uses it instead of `offset`. */
  byId?: boolean;
};

/** Represents a page of a list, with links to the others. */
export function listPage<T extends { id: string }>(links: Links, page: Page & { after?: string | undefined }, list: List<T>) {
  const { limit, offset, after } = page;
  const elements = list.elements.slice(0, limit);
  const last = elements.at(-1);
  const more = list.elements.length > limit || (after === undefined && offset + elements.length < list.total);
  const lastOffset = lastOffsetOf(limit, list.total);
  const prevOffset = elements.length === 0 ? lastOffset : Math.max(0, offset - limit);
  const to = (position: { offset?: number; after?: string }) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...list.filters, limit, ...position })) {
      for (const item of [value].flat()) if (item !== undefined && item !== 0) query.append(name, String(item));
    }
    return links.link(`${list.path}?${query}`, list.resourceType);
  };
  return {
    _links: {
      self: to(after === undefined ? { offset } : { after, offset }),
      first: to({}),
      last: to(list.beforeLast === undefined ? { offset: lastOffset } : { after: list.beforeLast }),
      ...(more && last && { next: to(list.byId ? { after: last.id } : { offset: offset + limit }) }),
      ...(after === undefined && offset > 0 && { prev: to({ offset: prevOffset }) }),
    },
    _embedded: { [list.name]: elements },
    total: list.total,
  };
}

/**
 * Returns the id before the last page of a long list, if that page is beyond the maximum offset.
 * `find` returns the id before the last `size` elements.
 */
export async function beforeLastPage(
  { limit }: Pick<Page, 'limit'>,
  total: number,
  find: (size: number) => Promise<string | undefined>,
): Promise<string | undefined> {
  const offset = lastOffsetOf(limit, total);
  return offset > LONG_OFFSET_MAX ? find(total - offset) : undefined;
}

function lastOffsetOf(limit: number, total: number): number {
  return Math.max(0, Math.ceil(total / limit) - 1) * limit;
}
