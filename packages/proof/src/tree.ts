// The Merkle tree of RFC 6962 over SHA-256: hashes, roots and inclusion proofs. It uses nothing of the service.
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

/** The hash of the perfect subtree of `2 ** height` leaves with this index at its height. */
export type HashAt = (height: number, index: number) => Buffer;

/** The hash of the tree without leaves. */
export const EMPTY_ROOT = hash('sha256', '', 'buffer');

/** The encoding of a hash as a string with a byte in each character: it takes a third of the time of a buffer. */
export const DIGEST = 'binary';
/** Comes before a leaf in its hash. */
export const LEAF = 0;
const NODE = 1;

export function hashLeaf(entry: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.of(LEAF), entry]), 'buffer');
}

/** Reused, because a tree hashes two children for each of its leaves. */
const children = Buffer.alloc(1 + 2 * HASH_BYTES, NODE);

export function hashChildren(left: Buffer, right: Buffer): Buffer {
  left.copy(children, 1);
  right.copy(children, 1 + HASH_BYTES);
  return Buffer.from(hash('sha256', children, DIGEST), DIGEST);
}

/** The root over the hashes of a perfect subtree. */
export function rootOfHashes(hashes: Buffer): Buffer {
  const level = Buffer.from(hashes);
  for (let { length } = level; length > HASH_BYTES; length /= 2) {
    for (let at = 0; at < length; at += 2 * HASH_BYTES) {
      level.copy(children, 1, at, at + 2 * HASH_BYTES);
      level.write(hash('sha256', children, DIGEST), at / 2, DIGEST);
    }
  }
  return level.subarray(0, HASH_BYTES);
}

/** The root of the tree of the first `size` leaves. */
export function rootAt(size: number, hashAt: HashAt): Buffer {
  return size === 0 ? EMPTY_ROOT : rootOf(0, size, hashAt);
}

/** The hashes that lead from a leaf to the root of the first `size` leaves, from the leaf up (RFC 6962 §2.1.1). */
export function proveInclusion(index: number, size: number, hashAt: HashAt): Buffer[] {
  const path: Buffer[] = [];
  let [low, high] = [0, size];
  while (high - low > 1) {
    const middle = low + splitOf(high - low);
    const isLeft = index < middle;
    path.push(isLeft ? rootOf(middle, high, hashAt) : rootOf(low, middle, hashAt));
    [low, high] = isLeft ? [low, middle] : [middle, high];
  }
  return path.reverse();
}

/** The root that a proof of inclusion leads to, or undefined if the proof has another length than the tree needs. */
export function rootOfProof(leaf: Buffer, { index, size, proof }: { index: number; size: number; proof: Buffer[] }) {
  if (!(index >= 0 && index < size)) return undefined;
  const lefts: boolean[] = [];
  for (let [low, high] = [0, size]; high - low > 1; ) {
    const middle = low + splitOf(high - low);
    const isLeft = index < middle;
    lefts.push(isLeft);
    [low, high] = isLeft ? [low, middle] : [middle, high];
  }
  if (lefts.length !== proof.length) return undefined;
  return proof.reduce((at, sibling) => (lefts.pop() ? hashChildren(at, sibling) : hashChildren(sibling, at)), leaf);
}

/** The hashes that prove that a tree of `size` leaves extends that of its first `old` leaves (RFC 6962 §2.1.2). */
export function proveConsistency(old: number, size: number, hashAt: HashAt): Buffer[] {
  if (old === 0 || old === size) return [];
  const path: Buffer[] = [];
  // Whether the range that is left begins with the first leaf: then its root is known to who has the old tree.
  let [low, high, isKnown] = [0, size, true];
  while (old < high) {
    const middle = low + splitOf(high - low);
    const isLeft = old <= middle;
    path.push(isLeft ? rootOf(middle, high, hashAt) : rootOf(low, middle, hashAt));
    if (isLeft) high = middle;
    else [low, isKnown] = [middle, false];
  }
  if (!isKnown) path.push(rootOf(low, high, hashAt));
  return path.reverse();
}

/** Whether a proof shows that one tree extends another (RFC 9162 §2.1.4.2). */
export function isConsistent(
  old: { size: number; root: Buffer },
  tree: { size: number; root: Buffer },
  proof: Buffer[],
): boolean {
  if (old.size > tree.size) return false;
  if (old.size === tree.size) return proof.length === 0 && old.root.equals(tree.root);
  if (old.size === 0) return proof.length === 0;
  const isPerfect = 2 ** Math.round(Math.log2(old.size)) === old.size;
  const path = isPerfect ? [old.root, ...proof] : [...proof];
  let [at, last] = [old.size - 1, tree.size - 1];
  const up = () => {
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  };
  while (at % 2 === 1) up();
  const first = path.shift();
  if (!first) return false;
  let [oldRoot, root] = [first, first];
  for (const sibling of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      [oldRoot, root] = [hashChildren(sibling, oldRoot), hashChildren(sibling, root)];
      while (at % 2 === 0 && at !== 0) up();
    } else root = hashChildren(root, sibling);
    up();
  }
  return last === 0 && oldRoot.equals(old.root) && root.equals(tree.root);
}

/** The root of the leaves from `low` to `high`; `low` is a multiple of the largest power of two in the range. */
function rootOf(low: number, high: number, hashAt: HashAt): Buffer {
  const leaves = high - low;
  const height = Math.log2(leaves);
  if (Number.isInteger(height)) return hashAt(height, low / leaves);
  const middle = low + splitOf(leaves);
  return hashChildren(rootOf(low, middle, hashAt), rootOf(middle, high, hashAt));
}

/** The largest power of two below a number of leaves. */
function splitOf(leaves: number): number {
  return 2 ** (Math.ceil(Math.log2(leaves)) - 1);
}
