// Health routes: liveness and readiness.
import Type, { type Static } from 'typebox';
import { isAway, within } from '../db/away.ts';
import { countAway } from '../http/away-groups.ts';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';

/** Shorter than the usual timeout of a health check. On a cluster a late coordinator is no reason to stop: shorter than any timeout. */
const READY_WITHIN_MS = { single: 2_000, cluster: 150 };

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' });
const Readiness = Type.Object(
  {
    status: Type.Enum(['ok', 'degraded']),
    away: Type.Optional(
      Type.Array(Type.Enum(['coordinator', 'workers']), {
        description:
          'Present if `status` is `degraded`: the servers of the cluster that do not answer, at least one of each kind.',
      }),
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
          'Returns 200 while the service accepts requests and can write to its database, and 503 while it closes, while the database is unavailable or read-only, and if the ledger check found an error. On a cluster it returns 200 while at least one worker can post reallocations; `degraded` if other servers are away. For load balancers.',
        tags: ['service'],
        response: { 200: Readiness },
      },
    },
    async () => {
      const broken = service.verification.broken();
      if (broken.length > 0) throw refuse('unavailable', { message: `The ledger check failed: ${broken.join(', ')}.` });
      if (service.groups.isCluster) return readinessOfCluster(service.groups, checkDatabase);
      await within(READY_WITHIN_MS.single, checkDatabase());
      return { status: 'ok' as const };
    },
  );
}

/** Ready while a group answers: lanes post without the coordinator, and a balancer must not take every service out because of it. */
async function readinessOfCluster(
  groups: Service['groups'],
  checkCoordinator: () => Promise<void>,
): Promise<Static<typeof Readiness>> {
  const groupsAway = countAway(groups);
  if (groupsAway === groups.count) throw refuse('unavailable');
  const isCoordinatorAway =
    groups.isCoordinatorAway() ||
    (await within(READY_WITHIN_MS.cluster, checkCoordinator()).then(
      () => false,
      (error: unknown) => {
        if (isAway(error)) return true;
        throw error;
      },
    ));
  const away = [...(isCoordinatorAway ? ['coordinator' as const] : []), ...(groupsAway > 0 ? ['workers' as const] : [])];
  return away.length === 0 ? { status: 'ok' } : { status: 'degraded', away };
}
