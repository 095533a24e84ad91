// Evidence of who asked for a transfer: the signature of its request (RFC 9421), with all that is needed to verify it again.
import { bucketOf } from '../../core/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';

/** Stays verifiable when the application has other keys, or none. */
export type Evidence = {
  applicationId: string;
  /** As the request named the key. */
  keyId: string;
  /** Of the key (RFC 7638). */
  thumbprint: string;
  publicKey: { kty: string } & Record<string, unknown>;
  algorithm: string;
  /** When the client says that it signed, in seconds since 1970. */
  signedS: number;
  /** The text that is signed: header fields have their bytes as Latin-1. */
  base: string;
  /** In base64. */
  signature: string;
  /** The content whose digest is signed; absent for a request without content. */
  content?: string;
  /** Texts of the client may be in what is signed: an erasure of the customer removes the evidence. */
  hasTexts: boolean;
};

/** A transfer as its request can have asked for it. `amount` in minor units. */
export type SignedTransfer = {
  fromId: string;
  toId: string;
  amount: string;
  currency: string;
  reverses: string | null;
  reference: string | null;
  correlationId: string | null;
  externalId: string | null;
  metadata: Record<string, string> | null;
};

/** The evidence of a transfer, or undefined if its request was not signed, or its texts were erased. */
export async function findEvidence(sql: Sql, transferId: string): Promise<Evidence | undefined> {
  const [row] = await sql<{ evidence: Evidence }>`
    select evidence from transfer_evidence where bucket = ${bucketOf(transferId)} and transfer_id = ${transferId}`;
  return row?.evidence;
}

/** Removes evidence with texts of a customer. */
export async function eraseEvidence(tx: Sql, customerId: string): Promise<void> {
  await tx`
    delete from transfer_evidence
    where bucket = ${bucketOf(customerId)} and customer_id = ${customerId} and evidence is not null and (evidence ->> 'hasTexts')::boolean`;
}
