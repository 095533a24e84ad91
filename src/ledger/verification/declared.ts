// What the rules of the ledger need of the manifests of all resources.
import { type Fragment, fragment } from '../../platform/db/sql.ts';
import { type Manifest, UNCHECKED } from '../../platform/manifest.ts';
import type { Evidence, SignedTransfer } from '../transfers/evidence.ts';

export type Declared = {
  /** The topics that report transfers. */
  transferTopics: string[];
  /** Cases of a kind of transfers: the topic that reports them. */
  topicOfKind: Fragment;
  /** The topics that report created resources. `rows`: these resources. */
  creations: { topic: string; resource: string; rows: Fragment }[];
  /** Cases of a type of resource that a key names: whether it exists. */
  existenceOfType: Fragment;
  /** What contradicts the evidence of a transfer; undefined if nothing does. */
  evidenceFault: (evidence: Evidence, transfer: SignedTransfer | undefined) => string | undefined;
};

export function declaredBy(manifests: Manifest[], evidenceFault: Declared['evidenceFault']): Declared {
  const reported = manifests
    .flatMap(({ topics = {} }) => Object.entries(topics))
    .flatMap(([topic, { transfers = [] }]) => transfers.map((transfer) => ({ topic, transfer })));
  const creations = manifests
    .flatMap(({ topics = {} }) => Object.entries(topics))
    .flatMap(([topic, { resource, created: rows }]) => (rows ? [{ topic, resource, rows }] : []));
  const existence = manifests
    .flatMap(({ idempotent = {} }) => Object.entries(idempotent))
    .flatMap(([type, row]) => (row === UNCHECKED ? [] : [fragment`when ${type} then (${row})`]));
  return {
    transferTopics: reported.map(({ topic }) => topic),
    topicOfKind: joined(reported.map(({ topic, transfer }) => fragment`when ${transfer} then ${topic}`)),
    creations,
    existenceOfType: joined(existence),
    evidenceFault,
  };
}

function joined(parts: Fragment[]): Fragment {
  return parts.reduce((all, part) => fragment`${all} ${part}`);
}
