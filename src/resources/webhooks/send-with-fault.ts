// Sends a webhook with the fault that a sandbox account planned for it: a delay, another response, or no response.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange } from './send.ts';

/** A planned fault, as in `sandbox/fault.ts`. */
type Fault = { status: number | null; cut: boolean; delayMs: number; effect: boolean };

/** Takes the fault planned for an account's next delivery, if there is one. */
export type FaultPlan = (accountId: string, operation: 'deliverWebhook') => Promise<Fault | undefined>;

const STOPPED = 'The worker was stopped.';
const CUT = 'The connection was cut by a planned fault.';

/** Sends, with the fault planned for this delivery, if there is one. The signal ends a planned delay. */
export async function sendWithFault(
  { plan, signal }: { plan: FaultPlan | undefined; signal: AbortSignal },
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
