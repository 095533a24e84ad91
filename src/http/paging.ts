// Lists: `_embedded`, `total`, and links to the first, previous, next and last page.
import Type, { type Static, type TInteger, type TSchema } from 'typebox';
import { ID } from '../ids.ts';
import { LinkSchema, type Links, linkWhen } from './links.ts';

export type Page = Static<typeof PageQuery>;

const LIMIT = { minimum: 1, maximum: 200, default: 25 };

/** Pages further on are read by `after`. */
export const LONG_OFFSET_MAX = 10_000;

// A client may leave both out; a route always has them, as the compiler of queries fills in the defaults.
const limit: TInteger = Type.Optional(Type.Integer({ ...LIMIT, description: 'Most elements of a page.' }));
const offset = (maximum: number): TInteger =>
  Type.Optional(Type.Integer({ format: 'int64', minimum: 0, maximum, default: 0, description: 'Number of elements to skip.' }));

export const PageQuery = Type.Object({ limit, offset: offset(Number.MAX_SAFE_INTEGER) });

/** Query of a list that is not paged. */
export const NoQuery = Type.Object({});

export const IdSchema = Type.String({ format: 'uuid', pattern: ID.source });

/** Query of a long list: `after` the element with this id, which costs the same on every page. */
export const LongPageQuery = Type.Object({
  limit,
  offset: offset(LONG_OFFSET_MAX),
  after: Type.Optional({ ...IdSchema, description: 'Elements after the one with this id.' }),
});

export const IdParams = Type.Object({ id: { ...IdSchema, description: 'The id of the resource, as in its links.' } });

const PageLinks = Type.Object(
  {
    self: LinkSchema,
    first: LinkSchema,
    last: LinkSchema,
    next: linkWhen('Unless this is the last page.'),
    prev: linkWhen('With `offset`, unless this is the first page. Past the end of the list it leads to the last page.'),
  },
  { title: 'PageLinks', description: 'The other pages of a list, as far as they exist.' },
);

/** The schema of a list of `element`s, which have a title, embedded under `name`. */
export function ListOf<N extends string, T extends TSchema & { title?: string }>(name: N, element: T) {
  return Type.Object(
    {
      _links: PageLinks,
      _embedded: Type.Object({ [name]: Type.Array(element, { maxItems: LIMIT.maximum }) }),
      total: Type.Integer({ minimum: 0 }),
    },
    { title: `${element.title}List` },
  );
}

type List<T> = {
  path: string;
  name: string;
  resourceType: string;
  /** The page's elements; one more than `limit` says that there is a next page. */
  elements: T[];
  total: number;
  /** What the caller filtered by, kept in every link. */
  filters?: Record<string, string | string[] | undefined>;
  /** The element before the last page, where no offset leads to that page (`beforeLastPage`). */
  beforeLast?: string | undefined;
  /** Whether the list can be followed by `after`: then the next link goes on after the page's last element instead of counting from the start. */
  byId?: boolean;
};

/** A page of a list, with links to the others. */
export function listPage<T extends { id: string }>(links: Links, page: Page & { after?: string | undefined }, list: List<T>) {
  const { limit, offset, after } = page;
  const elements = list.elements.slice(0, limit);
  const last = elements.at(-1);
  const more = list.elements.length > limit || (after === undefined && offset + elements.length < list.total);
  const lastOffset = lastOffsetOf(limit, list.total);
  const prevOffset = elements.length === 0 ? lastOffset : Math.max(0, offset - limit);
  const to = (place: { offset?: number; after?: string }) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...list.filters, limit, ...place })) {
      for (const one of [value].flat()) if (one !== undefined && one !== 0) query.append(name, String(one));
    }
    return links.link(`${list.path}?${query}`, list.resourceType);
  };
  return {
    _links: {
      self: to(after === undefined ? { offset } : { after }),
      first: to({}),
      last: to(list.beforeLast === undefined ? { offset: lastOffset } : { after: list.beforeLast }),
      ...(more && last && { next: to(list.byId ? { after: last.id } : { offset: offset + limit }) }),
      ...(after === undefined && offset > 0 && { prev: to({ offset: prevOffset }) }),
    },
    _embedded: { [list.name]: elements },
    total: list.total,
  };
}

/** The id that the last page of a long list comes after, where no offset leads to it. `find` gives the element before the last `size`. */
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
