// Starts the evaluation of monitors in a service. Several processes may evaluate at the same time.
import type { FastifyBaseLogger } from 'fastify';
import { startLoop } from '../../core/loop.ts';
import { openOutage } from '../../platform/telemetry/outage.ts';
import { type EvaluationTools, evaluateMonitors } from './evaluate.ts';

/** The builder of the logs settles events as often. */
const POLL_MS = 500;

export function startMonitoring(tools: EvaluationTools & { log: FastifyBaseLogger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const onError = openOutage(tools.log, 'balance monitors cannot be evaluated').note;
  const loop = startLoop({
    pollMs: () => POLL_MS,
    async step() {
      await evaluateMonitors(tools, onError);
      return false;
    },
    onError,
    signal: stopping.signal,
  });
  return {
    async stop() {
      stopping.abort();
      await loop.ended;
    },
  };
}
