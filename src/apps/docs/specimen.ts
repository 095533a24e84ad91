// The picture that samples upload in a sandbox: an invented passport, another one for each request because a document is accepted once.
import type { App } from '../../platform/http/route.ts';
import { withPageHeaders } from '../../platform/pages/policy.ts';
import type { Service } from '../service/service.ts';

export const SPECIMEN = '/docs/specimen.png';
const HOLDER = { lastName: 'Example', firstName: 'Ada', dateOfBirth: '1985-04-12' };

/** Adds the route in a sandbox only. */
export function specimenRoute(app: App, { config }: Pick<Service, 'config'>): void {
  if (config.mode !== 'sandbox') return;
  app.get(SPECIMEN, { config: { public: true, plain: true }, schema: { hide: true } }, async (_request, reply) => {
    // Imported here, because few services draw one and its library takes a part of the start.
    const { drawSpecimen } = await import('../sandbox/specimen.ts');
    return withPageHeaders(reply)
      .type('image/png')
      .send(await drawSpecimen(HOLDER));
  });
}
