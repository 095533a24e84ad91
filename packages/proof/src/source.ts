// What an audit reads: the API of a service, as its account sees it.

export type Source = {
  /** The bytes of a path below the log of the account, or undefined if the service does not have it. */
  log(path: string): Promise<Uint8Array | undefined>;
  /** The JSON of a path of the API, or undefined if the service does not show it to the account. */
  get<T>(path: string): Promise<T | undefined>;
  /** The bytes of a path of the API in a media type, or undefined like `get`. */
  read(path: string, accept: string): Promise<Uint8Array | undefined>;
};

/** Members of what the API shows. */
export type Amount = { value: string; currency: string };
export type Link = { href: string };

/** Reports a contradiction, as one sentence. */
export type Report = (text: string) => void;

/** Reports progress: the completed share, and what is compared now. */
export type OnShare = (share: number, step: string) => void;

type Page<T> = { _embedded?: Record<string, T[]> };

const PAGE = 200;

/** The elements of a list of the API, by their ids or, for lists without `after`, by their places. It relies on no link of the service. */
export async function* readList<T extends { id: string }>(
  source: Source,
  path: string,
  { name, by = 'after' }: { name: string; by?: 'after' | 'offset' },
): AsyncGenerator<T> {
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=${PAGE}`;
  for (let next = '', seen = 0; ; ) {
    const elements = (await source.get<Page<T>>(first + next))?._embedded?.[name] ?? [];
    yield* elements;
    seen += elements.length;
    if (elements.length < PAGE) return;
    next = by === 'after' ? `&after=${elements.at(-1)!.id}` : `&offset=${seen}`;
  }
}

/** The id at the end of a link. */
export function idIn(link: Link | undefined): string | undefined {
  return link?.href.split('/').at(-1);
}

/** Whether the feed has an event about a resource, except for one that is known. */
export async function hasNews(source: Source, resourceId: string, known?: string): Promise<boolean> {
  const page = await source.get<Page<{ id: string }>>(`/events?limit=1&resourceId=${resourceId}`);
  const newest = page?._embedded?.events?.[0];
  return newest !== undefined && newest.id !== known;
}
