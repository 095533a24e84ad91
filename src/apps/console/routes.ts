// The routes of the console: sign-in, and the pages of every screen.
import type { FastifyBaseLogger, FastifyError } from 'fastify';
import { type Refusal, refuse } from '../../core/problems.ts';
import type { App } from '../../platform/http/route.ts';
import { FLUSH_EVERY_MS, openRefusals, type Refusals } from '../../resources/operators/refusals.ts';
import type { Service } from '../service/service.ts';
import { addAccount } from './access/account.ts';
import { openEntry } from './access/entry.ts';
import { addOpenId } from './access/openid.ts';
import { addPasskeys } from './access/passkeys.ts';
import { addSignIn } from './access/sign-in.ts';
import { openCookies } from './cookie.ts';
import { answerWithPage } from './error-page.ts';
import { addFind } from './find/find.ts';
import { openGuard } from './guard.ts';
import { openKeptForms } from './kept-forms.ts';
import { screens } from './screens.ts';

export function consoleRoutes(app: App, service: Service): void {
  if (!service.config.console) return;
  // A plugin, because its error handler and its parser of forms are not those of the API.
  app.register(async (scope: App) => {
    const cookies = openCookies(service.config);
    const forms = openKeptForms(service, cookies);
    const guard = openGuard(scope, service, { cookies, forms });
    const refusals = openRefusals(service.database.sql, service.peers);
    flushRegularly(scope, refusals, service.log);
    const entry = openEntry(service, { cookies, forms, refusals });
    // Its queries have no schema that refuses what the database cannot store.
    scope.addHook('onRequest', async ({ url }) => {
      if (url.includes('%00')) throw refuse('badUrl');
    });
    scope.setErrorHandler((error: FastifyError | Refusal, request, reply) => answerWithPage(service, error, request, reply));
    addSignIn(guard, service, { entry, cookies });
    addPasskeys(guard, service, entry);
    if (service.config.openId) addOpenId(guard, service, { entry, config: service.config.openId });
    addAccount(guard, service);
    addFind(guard, service);
    for (const { add } of screens) add(guard, service);
    const unknown = { config: { public: true, plain: true }, schema: { hide: true } };
    scope.get('/console/', unknown, async (_request, reply) => reply.redirect('/console', 308));
    scope.get('/console/*', unknown, async (request) => {
      await guard.requirePerson(request);
      throw refuse('notFound');
    });
  });
}

/** Until the service stops, which flushes once more. */
function flushRegularly(scope: App, { flush }: Refusals, log: FastifyBaseLogger): void {
  const attempt = (isLast: boolean) =>
    flush({ isLast }).catch((error: unknown) => log.warn({ err: error }, 'refused sign-ins cannot be written to the audit log'));
  const timer = setInterval(() => attempt(false), FLUSH_EVERY_MS).unref();
  scope.addHook('onClose', async () => {
    clearInterval(timer);
    await attempt(true);
  });
}
