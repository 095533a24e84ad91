// The door of metrics: for callers on this machine, where METRICS_PORT does not give them a door of their own.
import Type from 'typebox';
import { isLocal } from '../http/local-caller.ts';
import { type App, answersOnly } from '../http/route.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';
import { CONTENT_TYPE } from './registry.ts';

export function metricsRoutes(app: App, { config, metrics }: Service): void {
  app.get(
    '/metrics',
    {
      config: { public: true, plain: true, isPolled: true },
      schema: {
        operationId: 'getMetrics',
        summary: 'Metrics for Prometheus',
        description: 'In the text format 0.0.4. For callers on the machine of the service; none where METRICS_PORT is set.',
        tags: ['service'],
        produces: [CONTENT_TYPE.split(';')[0]!],
        response: answersOnly({ 200: Type.String() }, 'forbidden', 'notFound', 'unavailable'),
      },
    },
    async (request, reply) => {
      if (config.metricsPort !== undefined) throw refuse('notFound');
      if (!isLocal(request)) throw refuse('forbidden');
      return reply.type(CONTENT_TYPE).send(await metrics.registry.expose());
    },
  );
}
