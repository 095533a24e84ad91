// The metrics route, for callers on this machine. Not found if METRICS_PORT opens a separate server.
import { refuse } from '../../core/problems.ts';
import { Type } from '../../core/type.ts';
import { isLocal } from '../../platform/http/local-caller.ts';
import type { App } from '../../platform/http/route.ts';
import { CONTENT_TYPE } from '../../platform/telemetry/registry.ts';
import type { Service } from '../service/service.ts';

export function metricsRoutes(app: App, { config, metrics, peers }: Service): void {
  app.get(
    '/metrics',
    {
      config: { public: true, plain: true, isPolled: true, problems: ['forbidden', 'notFound', 'unavailable'] },
      schema: {
        operationId: 'getMetrics',
        summary: 'Retrieve metrics',
        description: 'Prometheus text format 0.0.4. Only for callers on the machine of the service. 404 if METRICS_PORT is set.',
        tags: ['service'],
        produces: [CONTENT_TYPE.split(';')[0]!],
        response: { 200: Type.String() },
      },
    },
    async (request, reply) => {
      if (config.metricsPort !== undefined) throw refuse('notFound');
      if (!isLocal(request)) throw refuse('forbidden');
      return reply.type(CONTENT_TYPE).send(await (peers?.exposeAll ?? metrics.registry.expose)());
    },
  );
}
