// Sends requests while a label is locked, so that they share batches.
import { bucketOf } from '../../src/core/ids.ts';
import { idOf } from './http.ts';
import type { TestService } from './service.ts';
import { waitUntil } from './wait.ts';

/** Sends requests that move money of a label while its row is locked: the first waits for the lock, the others share batches. */
export async function sendWhileLocked<T>({ service }: TestService, label: string, send: () => Promise<T>[]): Promise<T[]> {
  const { answers } = await service.database.transaction(async (tx) => {
    const id = idOf(label);
    await tx`select 1 from ledger_account where bucket = ${bucketOf(id)} and id = ${id} for update`;
    const sent = send();
    await waitUntil(
      'the first request waits for the lock and the others are queued',
      () => service.lanes.queued() === sent.length - 1,
    );
    return { answers: Promise.all(sent) };
  });
  return answers;
}
