// Lists: async iteration over all pages.
import { targetOf } from './reference.ts';

/** A page in HAL, as the service sends it. */
type HalPage = { _links: { next?: { href: string } }; _embedded: Record<string, unknown[]>; total?: number };

/** A page of a list. */
export type Page<T, Total = number> = {
  elements: T[];
  /** Number of elements in the whole list; undefined for those found by a search, which are not counted. */
  total: Total;
  hasNext: boolean;
};

/** Not a private field, as in earmark.ts. */
const reads = new WeakMap<object, (target?: string) => Promise<HalPage>>();

/** `for await (const label of list)`, `await list.page()` for the first page only, `await list.all()` for an array. */
export class List<T, Total = number> implements AsyncIterable<T> {
  constructor(read: (target?: string) => Promise<HalPage>) {
    reads.set(this, read);
  }

  /** Reads the first page. */
  async page(): Promise<Page<T, Total>> {
    const page = await reads.get(this)!();
    return { elements: elementsOf(page), total: page.total as Total, hasNext: page._links.next !== undefined };
  }

  /** Reads all elements. Lists paged by offset (customers, labels) repeat one when another is created meanwhile, and skip one when another is removed. */
  async all(): Promise<T[]> {
    const elements: T[] = [];
    for await (const element of this) elements.push(element);
    return elements;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let page = await reads.get(this)!();
    for (;;) {
      yield* elementsOf<T>(page);
      const { next } = page._links;
      if (!next) return;
      page = await reads.get(this)!(targetOf(next.href));
    }
  }
}

function elementsOf<T>(page: HalPage): T[] {
  return Object.values(page._embedded).flat() as T[];
}
