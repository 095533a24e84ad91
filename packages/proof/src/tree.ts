// The Merkle tree of RFC 6962 over SHA-256: hashes, roots and inclusion proofs. It uses nothing of the service.
import { concat, fromBinary, isEqual } from './bytes.ts';
import { sha256 } from './sha256.ts';

export const HASH_BYTES = 32;

/** The hash of the perfect subtree of `2 ** height` leaves with this index at its height. */
export type HashAt = (height: number, index: number) => Uint8Array;

/** The hash of the tree without leaves. */
export const EMPTY_ROOT: Uint8Array = fromBinary(sha256('', 'binary'));

/** Comes before a leaf in its hash. */
export const LEAF = 0;
const NODE = 1;

export function hashLeaf(entry: Uint8Array): Uint8Array {
  return fromBinary(sha256(concat(Uint8Array.of(LEAF), entry), 'binary'));
}

/** Reused, because a tree hashes two children for each of its leaves. */
const children = new Uint8Array(1 + 2 * HASH_BYTES).fill(NODE);

export function hashChildren(left: Uint8Array, right: Uint8Array): Uint8Array {
  children.set(left, 1);
  children.set(right, 1 + HASH_BYTES);
  return fromBinary(sha256(children, 'binary'));
}

/** The root over the hashes of a perfect subtree. */
export function rootOfHashes(hashes: Uint8Array): Uint8Array {
  const level = new Uint8Array(hashes);
  for (let { length } = level; length > HASH_BYTES; length /= 2) {
    for (let at = 0; at < length; at += 2 * HASH_BYTES) {
      for (let byte = 0; byte < 2 * HASH_BYTES; byte++) children[1 + byte] = level[at + byte]!;
      const digest = sha256(children, 'binary');
      for (let byte = 0; byte < HASH_BYTES; byte++) level[at / 2 + byte] = digest.charCodeAt(byte);
    }
  }
  return level.subarray(0, HASH_BYTES);
}

/** The root of the tree of the first `size` leaves. */
export function rootAt(size: number, hashAt: HashAt): Uint8Array {
  return size === 0 ? EMPTY_ROOT : rootOf(0, size, hashAt);
}

/** The hashes that lead from a leaf to the root of the first `size` leaves, from the leaf up (RFC 6962 §2.1.1). */
export function proveInclusion(index: number, size: number, hashAt: HashAt): Uint8Array[] {
  const path: Uint8Array[] = [];
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
export function rootOfProof(leaf: Uint8Array, { index, size, proof }: { index: number; size: number; proof: Uint8Array[] }) {
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
export function proveConsistency(old: number, size: number, hashAt: HashAt): Uint8Array[] {
  if (old === 0 || old === size) return [];
  const path: Uint8Array[] = [];
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
  old: { size: number; root: Uint8Array },
  tree: { size: number; root: Uint8Array },
  proof: Uint8Array[],
): boolean {
  if (old.size > tree.size) return false;
  if (old.size === tree.size) return proof.length === 0 && isEqual(old.root, tree.root);
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
  return last === 0 && isEqual(oldRoot, old.root) && isEqual(root, tree.root);
}

/** The root of the leaves from `low` to `high`; `low` is a multiple of the largest power of two in the range. */
function rootOf(low: number, high: number, hashAt: HashAt): Uint8Array {
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
