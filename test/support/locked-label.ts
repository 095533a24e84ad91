// Requests that share batches, however fast each is.
import type { TestService } from './service.ts';
import { waitUntil } from './wait.ts';

/** The answers to requests that move money from or to a label, sent while it is locked: all but the first wait, and share batches. */
export async function sendWhileLocked<T>({ service }: TestService, label: string, send: () => Promise<T>[]): Promise<T[]> {
  const { answers } = await service.database.transaction(async (tx) => {
    await tx`select from ledger_account where id = ${label.slice(-36)} for update`;
    const sent = send();
    await waitUntil('all wait, and the first for the lock', () => service.lanes.queued() === sent.length - 1);
    return { answers: Promise.all(sent) };
  });
  return answers;
}
