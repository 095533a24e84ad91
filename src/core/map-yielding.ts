// Work on many items that leaves time for requests.
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE = 1024;

/** Returns the results of work on each item. Lets the event loop answer requests after every 1,024 of them. */
export async function mapYielding<Item, Made>(items: Item[], work: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) {
    if (index % SLICE === SLICE - 1) await nextTurn();
    made.push(work(item));
  }
  return made;
}
