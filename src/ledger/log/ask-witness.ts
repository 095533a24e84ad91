// Asks a witness to cosign a checkpoint (C2SP tlog-witness), with a proof that it extends what the witness cosigned last.
import { ADD_CHECKPOINT, formatAddCheckpoint, SIZE_TYPE } from '../../../packages/proof/src/add-checkpoint.ts';
import { type Checkpoint, parseCheckpoint } from '../../../packages/proof/src/note.ts';
import { isCosignedBy } from '../../../packages/proof/src/sign.ts';
import { proveConsistency } from '../../../packages/proof/src/tree.ts';
import type { Witness } from '../../platform/config/witnesses.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { readPath } from './tile.ts';
import type { Log } from './transparency-log.ts';

/**
 * `outdated`: another process has asked for a newer checkpoint. `away`: no answer, or a fault. `unknown`: the witness does not know the log or its
 * key. `refused`: the checkpoint does not extend what it cosigned.
 */
export type Answer =
  | { answer: 'cosigned'; line: string }
  | { answer: 'outdated' }
  | { answer: 'away' | 'unknown' | 'refused'; reason: string };

/** The size that each witness cosigned last, by its URL and the origin of the log. A start begins with 0, and witnesses correct it. */
export type Sizes = Map<string, number>;

const TIMEOUT_MS = 5_000;
const ANSWER_MAX_BYTES = 16 * 1024;
const REFUSALS = { 404: 'unknown', 403: 'unknown', 409: 'refused', 422: 'refused' } as const;

/** Rejects if the witness does not answer completely in time. */
export async function askWitness(
  sql: Sql,
  { url, verifier }: Witness,
  { log: { accountId }, note, sizes, signal }: { log: Log; note: string; sizes: Sizes; signal: AbortSignal },
): Promise<Answer> {
  const checkpoint = parseCheckpoint(note)!;
  const key = `${url} ${checkpoint.origin}`;
  for (const isLastTry of [false, true]) {
    const old = sizes.get(key) ?? 0;
    if (old > checkpoint.size) return compareSizes(sql, accountId, old);
    const proof = await prove(sql, accountId, old, checkpoint);
    const { status, text, size } = await post(`${url}${ADD_CHECKPOINT}`, formatAddCheckpoint({ old, proof, note }), signal);
    if (status === 409 && size !== undefined && size !== old && !isLastTry) {
      sizes.set(key, size);
      continue;
    }
    if (status !== 200) {
      const answer = REFUSALS[status as keyof typeof REFUSALS] ?? 'away';
      return { answer, reason: `status ${status}: ${text.trim().slice(0, 100)}` };
    }
    const line = text.split('\n').find((line) => isCosignedBy(`${note}${line}\n`, verifier));
    if (line === undefined) return { answer: 'away', reason: 'its answer has no valid cosignature of its key' };
    sizes.set(key, checkpoint.size);
    return { answer: 'cosigned', line: `${line}\n` };
  }
  return { answer: 'outdated' };
}

/** A witness that has cosigned more entries than the log has seen another history, unless the log has grown in the meantime. */
async function compareSizes(sql: Sql, accountId: string, cosigned: number): Promise<Answer> {
  const [log] = await sql<{ size: bigint }>`select size from transparency_log where account_id = ${accountId}`;
  if (log && log.size >= cosigned) return { answer: 'outdated' };
  return { answer: 'refused', reason: `it has cosigned ${cosigned} entries, and the log has ${log?.size ?? 0}` };
}

async function prove(sql: Sql, accountId: string, old: number, { size }: Checkpoint): Promise<Uint8Array[]> {
  return old === 0 || old === size ? [] : proveConsistency(old, size, await readPath(sql, accountId, { index: old - 1, size }));
}

/** Sends a request. `size`: what a witness says that it cosigned last. */
async function post(
  url: string,
  body: string,
  stopped: AbortSignal,
): Promise<{ status: number; text: string; size?: number | undefined }> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'error', signal });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error('its answer is too long');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const isSize = response.headers.get('content-type')?.startsWith(SIZE_TYPE) && /^\d{1,15}\n$/.test(text);
  return { status: response.status, text, size: isSize ? Number(text) : undefined };
}
