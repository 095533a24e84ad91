// Health: whether the process lives, and whether it should be sent requests.
import Type from 'typebox';
import type { App } from '../http/route.ts';
import { refuse } from '../problems.ts';
import type { Service } from '../service.ts';

const Health = Type.Object({ status: Type.Literal('ok') });

export function healthRoutes(app: App, service: Service): void {
  let draining = false;
  app.addHook('preClose', async () => {
    draining = true;
  });
  const config = { public: true, plain: true };

  app.get(
    '/health/live',
    { config, schema: { summary: 'Whether the process lives', tags: ['service'], response: { 200: Health } } },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/health/ready',
    { config, schema: { summary: 'Whether requests are served', tags: ['service'], response: { 200: Health } } },
    async () => {
      if (draining) throw refuse('unavailable');
      await service.database.sql`select 1`;
      return { status: 'ok' as const };
    },
  );
}
