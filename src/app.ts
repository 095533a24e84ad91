// The HTTP application: limits, hooks in the order a request meets them, and every room's door in one list.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { accountRoutes } from './accounts/routes.ts';
import { beneficialOwnerRoutes } from './beneficial-owners/routes.ts';
import { customerRoutes } from './customers/routes.ts';
import { docsRoutes } from './docs/routes.ts';
import { documentRoutes } from './documents/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { fundsRoutes } from './funds/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { openConnections } from './http/connections.ts';
import { useContent } from './http/content.ts';
import { openCors, useCors } from './http/cors.ts';
import { useProblems } from './http/errors.ts';
import { ownWords } from './http/malformed.ts';
import { useMediaTypes } from './http/media-type.ts';
import { useOpenApi } from './http/openapi.ts';
import { openPacedQueue } from './http/paced-queue.ts';
import { openPlaces } from './http/places.ts';
import { useQueries } from './http/query.ts';
import type { App } from './http/route.ts';
import { openSchemaCompiler } from './http/schemas.ts';
import { labelReallocationRoutes } from './label-reallocations/routes.ts';
import { labelRoutes } from './labels/routes.ts';
import { ledgerEntryRoutes } from './ledger-entries/routes.ts';
import { openAnonymous } from './oauth/anonymous.ts';
import { useAdmission, useAuthentication } from './oauth/authenticate.ts';
import { useLimits } from './oauth/limits.ts';
import { oauthRoutes } from './oauth/routes.ts';
import { usePlannedFaults } from './sandbox/fault-hooks.ts';
import { sandboxRoutes } from './sandbox/routes.ts';
import type { Service } from './service.ts';
import { openRequests, useTelemetry } from './telemetry/requests.ts';
import { metricsRoutes } from './telemetry/routes.ts';
import { describeWebhooks } from './webhooks/describe.ts';
import { webhookRoutes } from './webhooks/routes.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** How often Node.js looks for requests that do not arrive in time. */
const LATE_CHECK_MS = 1000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The rooms, in the order of the interface. */
const doors: ((app: App, service: Service) => void)[] = [
  healthRoutes,
  oauthRoutes,
  accountRoutes,
  customerRoutes,
  fundsRoutes,
  labelRoutes,
  ledgerEntryRoutes,
  labelReallocationRoutes,
  beneficialOwnerRoutes,
  documentRoutes,
  eventRoutes,
  webhookRoutes,
  metricsRoutes,
  docsRoutes,
  sandboxRoutes,
];

/** Builds the application of a service; it listens, or answers `inject`, when its caller says so. */
export async function buildApp(service: Service): Promise<App> {
  const requests = openRequests(service.metrics, service.tracing);
  const { maxRequests } = service.config;
  const places = openPlaces(maxRequests);
  const queue = openPacedQueue(() => places.taken() > 0);
  const anonymous = openAnonymous(maxRequests, queue);
  const serveInOrder = openConnections();
  const cors = openCors(service.config.corsOrigins);
  const own = ownWords(service.links, { requests, serveInOrder, anonymous, cors });
  const requestTimeoutMs = service.config.requestTimeoutSeconds * 1000;
  const app: App = Fastify({
    loggerInstance: service.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: service.config.responseTimeoutSeconds * 1000,
    trustProxy: service.config.trustProxy ?? false,
    genReqId: requestId,
    routerOptions: { ignoreTrailingSlash: false },
    ...own,
    http: { ...own.http, headersTimeout: Math.ceil(requestTimeoutMs / 3), connectionsCheckingInterval: LATE_CHECK_MS },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Expectations that nobody knows are ignored (RFC 9110 §10.1.1); Node.js would refuse them in words of its own.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setValidatorCompiler(openSchemaCompiler());
  // Compiling a serializer for every answer of every route took a third of the start, and none is on the hot path.
  app.setSerializerCompiler(() => JSON.stringify);

  app.addHook('onRequest', (_request, reply, done) => serveInOrder(reply.raw, done));
  useTelemetry(app, requests);
  useProblems(app as FastifyInstance, service.links);
  useAnswerHeaders(app);
  if (cors) useCors(app as FastifyInstance, cors);
  useAdmission(app, service.authority, anonymous);
  useMediaTypes(app, service.links.mediaType);
  useAuthentication(app, service.authority);
  useLimits(app, { ...service.config, places });
  if (service.sandboxTools) usePlannedFaults(app, service.sandboxTools);
  useContent(app, queue);
  useQueries(app);
  await useOpenApi(app, service.links, describeWebhooks(service.config.mediaTypeVendor));
  for (const door of doors) door(app, service);
  return app;
}

/** The caller's own X-Request-Id when it is a UUID, else a new one. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && UUID.test(given) ? given : randomUUID();
}

function useAnswerHeaders(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    // Node.js passes over what comes behind a request that asks for another protocol: nobody should wait for an answer to it.
    if (request.headers.upgrade !== undefined) reply.header('connection', 'close');
    // Once what came with the head is parsed: where that is no HTTP, nothing but that is answered.
    queueMicrotask(done);
  });
}
