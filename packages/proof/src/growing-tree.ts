// A tree that grows by one leaf at a time and knows its root, in memory that grows with its height only.
import { EMPTY_ROOT, hashChildren } from './tree.ts';

type GrowingTree = { add(leaf: Uint8Array): void; size(): number; root(): Uint8Array };

export function openTree(): GrowingTree {
  /** The perfect subtrees of the tree, the largest first: one for each bit of its size. */
  const peaks: Uint8Array[] = [];
  let size = 0;
  return {
    add(leaf) {
      let peak = leaf;
      for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) peak = hashChildren(peaks.pop()!, peak);
      peaks.push(peak);
      size += 1;
    },
    size: () => size,
    root: () => (size === 0 ? EMPTY_ROOT : peaks.reduceRight((right, left) => hashChildren(left, right))),
  };
}
