// Whether the stored evidence of a reallocation, and the reallocation, are as they were signed.
import { isDeepStrictEqual } from 'node:util';
import { readAmountOrAll } from '../../core/money/amount.ts';
import type { Amount } from '../../core/money/money.ts';
import type { Evidence, SignedTransfer } from '../../ledger/transfers/evidence.ts';
import { parseStrictJson } from '../../platform/http/strict-json.ts';
import { readKey } from '../oauth/client-key.ts';
import { isStillValid } from '../oauth/request-signature.ts';
import { TEXTS } from './request-signature.ts';

/** The body of the request for a reallocation, or for the reversal of one, which has no links. It was valid when it was signed. */
type Body = Partial<Record<(typeof TEXTS)[number], unknown>> & {
  _links?: { from: { href: string }; to: { href: string } };
  amount?: Amount;
  mode?: 'exact' | 'available';
};

/** Without what follows the path, as the router reads a target. */
const TARGET = /^"@(?:target-uri|path)": ([^?#\n]*)/m;
const ID_LENGTH = 36;

/**
 * What contradicts the evidence of a reallocation; undefined if nothing does. Whoever signs again with another key and replaces all of
 * the evidence is not noticed: only the application knows its keys.
 */
export function evidenceFault(evidence: Evidence, transfer: SignedTransfer | undefined): string | undefined {
  try {
    return findFault(evidence, transfer);
  } catch {
    return 'the signed request cannot be read';
  }
}

function findFault(evidence: Evidence, transfer: SignedTransfer | undefined): string | undefined {
  if (!transfer) return 'a signed request without its reallocation';
  const key = readKey(evidence.publicKey);
  if (typeof key === 'string' || key.thumbprint !== evidence.thumbprint) return 'the key of the signature is another one';
  if (!isStillValid(evidence)) return 'the signature does not fit its key and what is signed';
  const [, target = ''] = TARGET.exec(evidence.base) ?? [];
  const signedTarget =
    transfer.reverses === null ? '/label-reallocations' : `/label-reallocations/${transfer.reverses}/reversals`;
  // The router decodes paths by decodeURI too.
  if (!decodeURI(target).endsWith(signedTarget)) return 'the signed request was for another target';
  const body = evidence.content === undefined ? {} : (parseStrictJson(Buffer.from(evidence.content)) ?? {});
  const changed = changedMember(body, transfer);
  return changed && `${changed} is not as it was signed`;
}

function changedMember({ _links, amount, mode, ...texts }: Body, transfer: SignedTransfer): string | undefined {
  if (_links && _links.from.href.slice(-ID_LENGTH) !== transfer.fromId) return 'the source';
  if (_links && _links.to.href.slice(-ID_LENGTH) !== transfer.toId) return 'the destination';
  if (amount && amount.currency !== transfer.currency) return 'the currency';
  const read = amount && readAmountOrAll(amount);
  // Zero for `all`: the ledger decided how much it was.
  const signed = read && 'minorUnits' in read ? read.minorUnits : 0n;
  const moved = BigInt(transfer.amount);
  if (signed !== 0n && (mode === 'available' ? moved > signed : moved !== signed)) return 'the amount';
  return TEXTS.find((name) => texts[name] !== undefined && !isDeepStrictEqual(texts[name], transfer[name]));
}
