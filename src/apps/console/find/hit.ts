// What a search finds: groups of links.

export type Hit = { href: string; title: string; note: string };

/** `more`: a page with all of them. */
export type HitGroup = { name: string; hits: Hit[]; more?: string };

/** Of each group. */
export const HITS_MAX = 6;
