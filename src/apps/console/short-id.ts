// The end of an id, which tells apart what has the same name.
const LENGTH = 8;

export function endOf(id: string): string {
  return id.slice(-LENGTH);
}

export function shortId(id: string): string {
  return `…${endOf(id)}`;
}
