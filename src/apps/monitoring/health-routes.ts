// Health routes: liveness and readiness.
import type { Static } from 'typebox';
import { BUCKETS } from '../../core/ids.ts';
import { refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import type { Outages } from '../../platform/db/groups.ts';
import { withTimeout } from '../../platform/db/unavailable.ts';
import type { App } from '../../platform/http/route.ts';
import type { LedgerCheck } from '../../platform/worker-coordination.ts';
import type { Service } from '../service/service.ts';

/** Shorter than the usual timeout of a health check. */
const READY_WITHIN_MS = 2_000;

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' });
const Readiness = Type.Object(
  {
    status: Type.Enum(['ok', 'degraded']),
    away: Type.Optional(
      Type.Array(Type.Enum(['coordinator', 'workers']), {
        description:
          'The servers of the cluster that do not answer or are read-only, at least one of each kind. `status` is `degraded` then.',
      }),
    ),
    ledgerCheck: Type.Optional(
      Type.Object(
        {
          moneyAge: Type.Optional(
            Type.Integer({
              description:
                'The age in seconds of the last proof of all balances, with every transfer that was committed before it.',
            }),
          ),
          everyRuleAge: Type.Optional(
            Type.Integer({ description: 'The seconds since every rule of the ledger last held over everything.' }),
          ),
          failing: Type.Optional(
            Type.Literal(true, {
              description:
                'The check itself ended with an error twice in a row, and the ages grow. `status` is `degraded` then, and the log has the error.',
            }),
          ),
        },
        { description: 'How old each part of the ledger check is; absent until the first one after the start.' },
      ),
    ),
  },
  { title: 'Readiness' },
);

export function healthRoutes(app: App, service: Service): void {
  const config = { public: true, plain: true, isPolled: true, problems: ['unavailable'] } as const;

  app.get(
    '/health/live',
    {
      config,
      schema: {
        operationId: 'getLiveness',
        summary: 'Check liveness',
        description: 'Returns 200 as long as the process runs. For process supervisors.',
        tags: ['service'],
        response: { 200: Health },
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  // Concurrent requests share one check, as it may outlast their timeout.
  let checking: Promise<void> | undefined;
  const checkDatabase = () => {
    checking ??= service.commits.check(service.database.sql).finally(() => {
      checking = undefined;
    });
    return checking;
  };

  app.get(
    '/health/ready',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        summary: 'Check readiness',
        description:
          'Returns 200 while the service accepts requests and can write to its database, in a sandbox once `sandbox.json` is written, and 503 while it starts or closes, while the database is unavailable or read-only, and if the ledger check found an error. On a cluster it returns 200 while at least one worker can post reallocations; `degraded` if other servers are away or read-only, or if the ledger check itself fails. It notices within two seconds. For load balancers.',
        tags: ['service'],
        response: { 200: Readiness },
      },
    },
    async () => {
      if (!service.start.isComplete) throw refuse('unavailable', { message: 'The service is starting.' });
      const check = service.verification.check();
      const { broken } = check;
      if (broken.length > 0) throw refuse('unavailable', { message: `The ledger check failed: ${broken.join(', ')}.` });
      const { count, outages } = service.groups;
      if (outages) return { ...readinessBy(outages, count), ...stateOf(check) };
      await withTimeout(READY_WITHIN_MS, checkDatabase());
      return { status: 'ok' as const, ...stateOf(check) };
    },
  );
}

function stateOf({ newest, complete, isFailing }: LedgerCheck): Partial<Static<typeof Readiness>> {
  const age = (since: Date) => Math.max(0, Math.round((Date.now() - since.getTime()) / 1000));
  if (!newest && !complete && !isFailing) return {};
  const isWhole = newest?.buckets === BUCKETS;
  return {
    ...(isFailing && { status: 'degraded' as const }),
    ledgerCheck: {
      ...(isWhole && { moneyAge: age(newest.asOf) }),
      ...(complete && { everyRuleAge: age(complete) }),
      ...(isFailing && { failing: true as const }),
    },
  };
}

/**
 * Ready while a group takes writes: lanes post without the coordinator, and a balancer must not take every service out because of it. What
 * the probes know is enough, so that a busy coordinator delays no health check.
 */
function readinessBy(outages: Outages, groups: number): Static<typeof Readiness> {
  const unwritable = outages.unwritable();
  if (unwritable.groups === groups) throw refuse('unavailable');
  const away = [
    ...(unwritable.coordinator ? ['coordinator' as const] : []),
    ...(unwritable.groups > 0 ? ['workers' as const] : []),
  ];
  return away.length === 0 ? { status: 'ok' } : { status: 'degraded', away };
}
