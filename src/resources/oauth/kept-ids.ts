// How many used ids of each application a process keeps: otherwise one that proves much would fill the database of all.
import { refuse } from '../../core/problems.ts';
import { retryAfter } from '../../platform/http/rate.ts';

type KeptIds = {
  /** Refuses with `tooManyRequests` while an application has as many ids as are kept. */
  refuseIfFull(applicationId: string, nowMs: number): void;
  /** Counts an id until it expires. */
  add(id: { applicationId: string; expiresMs: number }, nowMs: number): void;
};

/** `slots`: how many ids expire in each slot of time, by its number. */
type Kept = { count: number; slots: Map<number, number> };

/** An id counts until the end of the slot in which it expires. */
const SLOT_MS = 5_000;

/** `max`: ids of one application. */
export function openKeptIds(max: number): KeptIds {
  const byApplication = new Map<string, Kept>();
  return {
    refuseIfFull(applicationId, nowMs) {
      const kept = byApplication.get(applicationId);
      if (!kept || kept.count < max) return;
      forgetExpired(kept, nowMs);
      if (kept.count < max) return;
      const firstEndMs = (Math.min(...kept.slots.keys()) + 1) * SLOT_MS;
      throw refuse('tooManyRequests', {
        message: 'The application has used as many proofs and assertions as are kept until they expire.',
        headers: retryAfter(firstEndMs - nowMs),
      });
    },
    add({ applicationId, expiresMs }, nowMs) {
      const kept = byApplication.get(applicationId) ?? { count: 0, slots: new Map() };
      byApplication.set(applicationId, kept);
      const slot = Math.floor(expiresMs / SLOT_MS);
      const others = kept.slots.get(slot);
      if (others === undefined) forgetExpired(kept, nowMs);
      kept.slots.set(slot, (others ?? 0) + 1);
      kept.count += 1;
    },
  };
}

function forgetExpired(kept: Kept, nowMs: number): void {
  for (const [slot, count] of kept.slots) {
    if ((slot + 1) * SLOT_MS > nowMs) continue;
    kept.slots.delete(slot);
    kept.count -= count;
  }
}
