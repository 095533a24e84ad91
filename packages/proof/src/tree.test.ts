// Tests of the Merkle tree against the reference values of RFC 6962 implementations, and of its proofs against their definition.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from './bytes.ts';
import {
  EMPTY_ROOT,
  hashChildren,
  hashLeaf,
  isConsistent,
  proveConsistency,
  proveInclusion,
  rootAt,
  rootOfProof,
} from './tree.ts';

/** The leaves and roots that implementations of RFC 6962 use as test vectors. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
/** Proofs of inclusion: index, size, hashes from the leaf up. */
const PROOFS: [index: number, size: number, proof: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

const leaves = LEAVES.map((text) => hashLeaf(Buffer.from(text, 'hex')));

/** The hash of a perfect subtree by its definition. */
function hashAt(height: number, index: number): Uint8Array {
  if (height === 0) return leaves[index]!;
  return hashChildren(hashAt(height - 1, 2 * index), hashAt(height - 1, 2 * index + 1));
}

/** Proofs of consistency: the size of the old tree, that of the new one, and the hashes. */
const CONSISTENT: [old: number, size: number, proof: string[]][] = [
  [1, 1, []],
  [1, 8, PROOFS[1]![2]],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

test('roots are those of RFC 6962', () => {
  assert.equal(toHex(EMPTY_ROOT), ROOTS[0]);
  for (const [size, root] of ROOTS.entries()) assert.equal(toHex(rootAt(size, hashAt)), root, `size ${size}`);
});

test('proofs of inclusion are those of RFC 6962', () => {
  for (const [index, size, proof] of PROOFS) {
    assert.deepEqual(proveInclusion(index, size, hashAt).map(toHex), proof, `index ${index} of ${size}`);
  }
});

const hexOf = (root: Uint8Array | undefined) => root && toHex(root);

test('a proof leads to the root from its own leaf only', () => {
  for (let size = 1; size <= leaves.length; size++) {
    for (let index = 0; index < size; index++) {
      const proof = proveInclusion(index, size, hashAt);
      const rootFrom = (leaf: Uint8Array, at: number, path = proof) => hexOf(rootOfProof(leaf, { index: at, size, proof: path }));
      assert.equal(rootFrom(leaves[index]!, index), ROOTS[size]);
      assert.notEqual(rootFrom(leaves[(index + 1) % leaves.length]!, index), ROOTS[size]);
      assert.notEqual(size > 1 && rootFrom(leaves[index]!, (index + 1) % size), ROOTS[size]);
      assert.equal(rootFrom(leaves[index]!, index, [...proof, EMPTY_ROOT]), undefined);
    }
  }
});

test('proofs of consistency are those of RFC 6962', () => {
  for (const [old, size, proof] of CONSISTENT) {
    assert.deepEqual(proveConsistency(old, size, hashAt).map(toHex), proof, `${old} to ${size}`);
  }
});

test('a proof of consistency holds for the two trees that it is of only', () => {
  const SIZE = 40;
  const many = Array.from({ length: SIZE }, (_, index) => hashLeaf(Buffer.from([index])));
  const hashOf = (height: number, index: number): Uint8Array =>
    height === 0 ? many[index]! : hashChildren(hashOf(height - 1, 2 * index), hashOf(height - 1, 2 * index + 1));
  const tree = (size: number) => ({ size, root: rootAt(size, hashOf) });
  for (let size = 0; size <= SIZE; size++) {
    for (let old = 0; old <= size; old++) {
      const proof = proveConsistency(old, size, hashOf);
      const name = `${old} to ${size}`;
      assert.ok(isConsistent(tree(old), tree(size), proof), name);
      assert.equal(isConsistent(tree(old), tree(size), [...proof, EMPTY_ROOT]), false, name);
      if (old === 0) continue;
      assert.equal(isConsistent({ size: old, root: EMPTY_ROOT }, tree(size), proof), false, name);
      assert.equal(isConsistent(tree(old), { size, root: EMPTY_ROOT }, proof), false, name);
      for (const at of proof.keys()) {
        assert.equal(isConsistent(tree(old), tree(size), proof.with(at, EMPTY_ROOT)), false, name);
        assert.equal(isConsistent(tree(old), tree(size), proof.toSpliced(at, 1)), false, name);
      }
      if (old < size) assert.equal(isConsistent(tree(size), tree(old), proof), false, name);
    }
  }
});
