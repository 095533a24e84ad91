// Sends as an account of a sandbox planned it: late, answered otherwise, or not at all.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from './send.ts';

/** What is planned for a delivery; as `rehearsal/fault.ts` has it. */
type Fault = { status: number | null; cut: boolean; delayMs: number; effect: boolean };

/** Takes the fault planned for an account's next delivery, if there is one. */
export type Plan = (accountId: string, operation: 'deliverWebhook') => Promise<Fault | undefined>;

const STOPPED = 'The worker was stopped.';
const CUT = 'The connection was cut, as was planned.';

/** Sends, unless something else is planned for this delivery; what waits ends with the signal. */
export async function sendAsPlanned(
  { plan, signal }: { plan: Plan | undefined; signal: AbortSignal },
  accountId: string,
  send: () => Promise<Exchange>,
): Promise<Exchange> {
  const fault = await plan?.(accountId, 'deliverWebhook');
  if (!fault) return send();
  const stopped = fault.delayMs > 0 && (await sleep(fault.delayMs, false, { signal }).catch(() => true));
  if (stopped) return { error: STOPPED };
  if (fault.effect || (fault.status === null && !fault.cut)) {
    const exchange = await send();
    if (fault.status === null && !fault.cut) return exchange;
  }
  return fault.status === null ? { error: CUT } : { answer: { status: fault.status, headers: [], body: '' } };
}
