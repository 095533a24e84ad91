// Health: whether the process lives, and whether it should be sent requests.
import Type from 'typebox';
import { within } from '../db/away.ts';
import { type App, answersOnly } from '../http/route.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';

/** Sooner than whoever asks gives up. */
const READY_WITHIN_MS = 2_000;

const Health = Type.Object({ status: Type.Literal('ok') }, { title: 'Health' });

export function healthRoutes(app: App, service: Service): void {
  const config = { public: true, plain: true, isPolled: true };

  app.get(
    '/health/live',
    {
      config,
      schema: {
        operationId: 'getLiveness',
        summary: 'Whether the process lives',
        description: '200 as long as the process runs. For whoever restarts it.',
        tags: ['service'],
        response: answersOnly({ 200: Health }, 'unavailable'),
      },
    },
    async () => ({ status: 'ok' as const }),
  );

  // One at a time, however many ask: it may take longer than anybody waits for it.
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
        summary: 'Whether requests are served',
        description:
          '200 while the service takes requests and reaches its database; 503 while it closes, the database is away or takes no writes, or the check of the ledger found something wrong. For whoever sends it requests.',
        tags: ['service'],
        response: answersOnly({ 200: Health }, 'unavailable'),
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
