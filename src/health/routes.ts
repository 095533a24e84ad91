// Health: whether the process lives, and whether it should be sent requests.
import Type from 'typebox';
import { type App, ProblemSchema } from '../http/route.ts';
import { problems } from '../problems.ts';
import type { Service } from '../service.ts';

const Health = Type.Object({ status: Type.Literal('ok') });

export function healthRoutes(app: App, service: Service): void {
  const config = { public: true, plain: true };
  const { code, message } = problems.unavailable;
  const unavailable = {
    description: `\`${code}\` ${message}`,
    content: { [service.links.mediaType]: { schema: ProblemSchema } },
  };

  app.get(
    '/health/live',
    { config, schema: { summary: 'Whether the process lives', tags: ['service'], response: { 200: Health, 503: unavailable } } },
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/health/ready',
    {
      config,
      schema: { summary: 'Whether requests are served', tags: ['service'], response: { 200: Health, 503: unavailable } },
    },
    async () => {
      await service.database.sql`select 1`;
      return { status: 'ok' as const };
    },
  );
}
