// The private keys of the service that sign deliveries, in memory of a worker.
import type { KeyObject } from 'node:crypto';
import type { Sql } from '../../platform/db/sql.ts';
import type { Sealer } from '../../platform/keys/sealing.ts';
import { listWebhookSigners } from '../oauth/signing-key.ts';

/** A new key is published ten minutes before it signs, and the one before is kept for a day. */
const READ_EVERY_MS = 60_000;

/**
 * Returns a function that returns the keys, newest first, and reads them again after a minute. While they cannot be read, those in memory
 * sign. It throws before the first reading: a delivery without a signature that its receiver expects would be refused.
 */
export function openSigners(options: {
  sql: Sql;
  sealer: Sealer;
  onError: (error: unknown) => void;
}): () => Promise<KeyObject[]> {
  const { sql, sealer, onError } = options;
  let keys: Promise<KeyObject[]> | undefined;
  let readMs = Number.NEGATIVE_INFINITY;

  async function readAgain(before: Promise<KeyObject[]> | undefined): Promise<KeyObject[]> {
    try {
      return await listWebhookSigners(sql, sealer);
    } catch (error) {
      if (!before) {
        keys = undefined;
        throw error;
      }
      onError(error);
      return before;
    }
  }

  return () => {
    if (keys && performance.now() - readMs < READ_EVERY_MS) return keys;
    readMs = performance.now();
    keys = readAgain(keys);
    return keys;
  };
}
