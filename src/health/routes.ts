// Health routes: liveness and readiness.
import Type from 'typebox';
import { within } from '../db/away.ts';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';

/** Shorter than the usual timeout of a health check. */
const READY_WITHIN_MS = 2_000;

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' });

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
          'Returns 200 while the service accepts requests and can write to its database, and 503 while it closes, while the database is unavailable or read-only, and if the ledger check found an error. For load balancers.',
        tags: ['service'],
        response: { 200: Health },
      },
    },
    async () => {
      const broken = service.verification.broken();
      if (broken.length > 0) throw refuse('unavailable', { message: `The ledger check failed: ${broken.join(', ')}.` });
      await within(READY_WITHIN_MS, checkDatabase());
      return { status: 'ok' as const };
    },
  );
}
