// The package @earmark/proof. Everything here runs in browsers too.
export { type Audit, audit } from './audit.ts';
export { commit } from './commitment.ts';
export type { Draw, LoggedLine, LoggedSection } from './compare-statements.ts';
export type { Policy } from './cosignature.ts';
export { type Entry, readEntry } from './entry.ts';
export { openTree } from './growing-tree.ts';
export { type Checkpoint, formatVerifier, parseCheckpoint, parseVerifier, type Verifier } from './note.ts';
export { Contradiction } from './read-entries.ts';
export { parseProof, type Receipt, type VerifiedReceipt, verifyReceipt } from './receipt.ts';
export type { OnShare, Source } from './source.ts';
export { decodeEntries, edgeOf, pathOfTile, readHash, TILE_WIDTH } from './tiles.ts';
export {
  EMPTY_ROOT,
  hashChildren,
  hashLeaf,
  isConsistent,
  proveConsistency,
  proveInclusion,
  rootAt,
  rootOfProof,
} from './tree.ts';
export { findCosigners, isSigned, isWitnessed } from './verify.ts';
