// Work on many items that leaves time for requests.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Returns the results of work on each item. Lets the event loop answer requests after each `slice` of them. */
export async function mapYielding<Item, Made>(items: Item[], work: (item: Item) => Made, slice = 1024): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) {
    if (index % slice === slice - 1) await nextTurn();
    made.push(work(item));
  }
  return made;
}
