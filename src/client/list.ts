// A list: iterated from its first element to its last, over as many pages as there are.
import { targetOf } from './reference.ts';

/** A page as the service gives it: HAL. */
type HalPage = { _links: { next?: { href: string } }; _embedded: Record<string, unknown[]>; total: number };

/** Some elements of a list. */
export type Page<T> = {
  elements: T[];
  /** How many the whole list has. */
  total: number;
  hasNext: boolean;
};

/** `for await (const label of list)`, `await list.page()` for the first page only, `await list.all()` for an array. */
export class List<T> implements AsyncIterable<T> {
  readonly #read: (target?: string) => Promise<HalPage>;

  constructor(read: (target?: string) => Promise<HalPage>) {
    this.#read = read;
  }

  /** The first page. */
  async page(): Promise<Page<T>> {
    const page = await this.#read();
    return { elements: elementsOf(page), total: page.total, hasNext: page._links.next !== undefined };
  }

  /** Every element. One of customers or labels comes twice when another is added in front of it meanwhile: those pages are counted. */
  async all(): Promise<T[]> {
    const elements: T[] = [];
    for await (const element of this) elements.push(element);
    return elements;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let page = await this.#read();
    for (;;) {
      yield* elementsOf<T>(page);
      const { next } = page._links;
      if (!next) return;
      page = await this.#read(targetOf(next.href));
    }
  }
}

function elementsOf<T>(page: HalPage): T[] {
  return Object.values(page._embedded).flat() as T[];
}
