// The HTTP application: its limits, its hooks in the order they run, and the list of all routes.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { openConcurrencyLimit } from '../../platform/http/concurrency-limit.ts';
import { openConnections } from '../../platform/http/connections.ts';
import { useContent } from '../../platform/http/content.ts';
import { openCors, useCors } from '../../platform/http/cors.ts';
import { useProblems } from '../../platform/http/errors.ts';
import { useMediaTypes } from '../../platform/http/media-type.ts';
import { useNearMisses } from '../../platform/http/near-misses.ts';
import { useOpenApi } from '../../platform/http/openapi.ts';
import { openPacedQueue } from '../../platform/http/paced-queue.ts';
import { preRoutingErrors } from '../../platform/http/pre-routing-errors.ts';
import { useQueries } from '../../platform/http/query.ts';
import { useRepresentations } from '../../platform/http/representation.ts';
import { openResponseHeaders, type SetHeaders } from '../../platform/http/response-headers.ts';
import type { App } from '../../platform/http/route.ts';
import { openSchemaCompiler } from '../../platform/http/schemas.ts';
import { useUnavailableGroups } from '../../platform/http/unavailable-groups.ts';
import { assetRoutes } from '../../platform/pages/routes.ts';
import { usePlannedFaults } from '../../platform/sandbox/fault-hooks.ts';
import { accountRoutes } from '../../resources/accounts/routes.ts';
import { allocationRuleRoutes } from '../../resources/allocation-rules/routes.ts';
import { balanceMonitorRoutes } from '../../resources/balance-monitors/routes.ts';
import { beneficialOwnerRoutes } from '../../resources/beneficial-owners/routes.ts';
import { customerRoutes } from '../../resources/customers/routes.ts';
import { reviewQueueRoutes } from '../../resources/documents/queue-routes.ts';
import { documentRoutes } from '../../resources/documents/routes.ts';
import { eventRoutes } from '../../resources/events/routes.ts';
import { fundsRoutes } from '../../resources/funds/routes.ts';
import { holdRoutes } from '../../resources/holds/routes.ts';
import { labelReallocationBatchRoutes } from '../../resources/label-reallocation-batches/routes.ts';
import { labelReallocationRoutes } from '../../resources/label-reallocations/routes.ts';
import { labelRoutes } from '../../resources/labels/routes.ts';
import { ledgerEntryRoutes } from '../../resources/ledger-entries/routes.ts';
import { openAnonymous } from '../../resources/oauth/anonymous.ts';
import { useAdmission, useAuthentication } from '../../resources/oauth/authenticate.ts';
import { useLimits } from '../../resources/oauth/limits.ts';
import { oauthRoutes } from '../../resources/oauth/routes.ts';
import { owedEntryRoutes } from '../../resources/owed-entries/routes.ts';
import { returnRoutes } from '../../resources/returns/routes.ts';
import { occurrenceRoutes } from '../../resources/schedules/occurrence-routes.ts';
import { scheduleRoutes } from '../../resources/schedules/routes.ts';
import { statementRoutes } from '../../resources/statements/routes.ts';
import { transferRoutes } from '../../resources/transfers/routes.ts';
import { transparencyLogRoutes } from '../../resources/transparency-log/routes.ts';
import { describeWebhooks } from '../../resources/webhooks/describe.ts';
import { webhookRoutes } from '../../resources/webhooks/routes.ts';
import { subscriptionRoutes } from '../../resources/webhooks/subscription-routes.ts';
import { consoleRoutes } from '../console/routes.ts';
import { docsRoutes } from '../docs/routes.ts';
import { healthRoutes } from '../monitoring/health-routes.ts';
import { metricsRoutes } from '../monitoring/metrics-routes.ts';
import { openRequests, useTelemetry } from '../monitoring/requests.ts';
import { faultRoutes } from '../sandbox/fault-routes.ts';
import { sandboxRoutes } from '../sandbox/routes.ts';
import { tags } from '../service/resources.ts';
import type { Service } from '../service/service.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** How often Node.js checks for requests that exceeded their timeout. */
const LATE_CHECK_MS = 1000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The routes of every resource, in the order of the OpenAPI document. */
const resources: ((app: App, service: Service) => void)[] = [
  healthRoutes,
  oauthRoutes,
  accountRoutes,
  customerRoutes,
  fundsRoutes,
  returnRoutes,
  owedEntryRoutes,
  labelRoutes,
  ledgerEntryRoutes,
  labelReallocationRoutes,
  holdRoutes,
  scheduleRoutes,
  occurrenceRoutes,
  transferRoutes,
  statementRoutes,
  allocationRuleRoutes,
  balanceMonitorRoutes,
  labelReallocationBatchRoutes,
  beneficialOwnerRoutes,
  documentRoutes,
  reviewQueueRoutes,
  eventRoutes,
  transparencyLogRoutes,
  subscriptionRoutes,
  webhookRoutes,
  metricsRoutes,
  assetRoutes,
  docsRoutes,
  consoleRoutes,
  sandboxRoutes,
  faultRoutes,
];

/** The routes of the requests that a rehearsal makes. */
export const rehearsed: typeof resources = [labelRoutes, labelReallocationRoutes];

/** Builds the application of a service. The caller makes it listen, or calls `inject`. */
export async function buildApp(service: Service, routes = resources): Promise<App> {
  const requests = openRequests(service.metrics, service.tracing, service.calls.count);
  const { maxRequests } = service.config;
  const concurrencyLimit = openConcurrencyLimit(maxRequests);
  const queue = openPacedQueue(() => concurrencyLimit.inUse() > 0);
  const anonymous = openAnonymous(maxRequests, queue);
  const serveInOrder = openConnections();
  const cors = openCors(service.config.corsOrigins);
  const setHeaders = openResponseHeaders(service.config);
  const errorOptions = preRoutingErrors(service.links, { requests, serveInOrder, setHeaders, anonymous, cors });
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
    ...errorOptions,
    http: { ...errorOptions.http, headersTimeout: Math.ceil(requestTimeoutMs / 3), connectionsCheckingInterval: LATE_CHECK_MS },
  }).withTypeProvider<TypeBoxTypeProvider>();
  // An unknown expectation is ignored (RFC 9110 §10.1.1). Node.js would refuse it with an error that is not in our format.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const compileSchema = openSchemaCompiler();
  app.setValidatorCompiler(compileSchema);
  useNearMisses(app as FastifyInstance, compileSchema);
  // Compiling a serializer per response schema took a third of the startup time, and no hot path needs one.
  app.setSerializerCompiler(() => JSON.stringify);

  app.addHook('onRequest', (_request, reply, done) => serveInOrder(reply.raw, done));
  useTelemetry(app, requests);
  useProblems(app as FastifyInstance, service.links);
  useResponseHeaders(app, setHeaders);
  if (cors) useCors(app as FastifyInstance, cors);
  useAdmission(app, service.authority, anonymous);
  useMediaTypes(app, service.links.mediaType);
  useAuthentication(app, service.authority);
  useLimits(app, { ...service.config, concurrencyLimit, peers: service.peers });
  const { outages } = service.groups;
  if (outages) useUnavailableGroups(app, service.groups, outages);
  if (service.sandboxTools) usePlannedFaults(app, service.sandboxTools, service.links);
  useContent(app, queue);
  useQueries(app);
  useRepresentations(app as FastifyInstance);
  await useOpenApi(app, service.links, { tags, webhooks: describeWebhooks(service.config.mediaTypeVendor) });
  for (const addRoutes of routes) addRoutes(app, service);
  return app;
}

/** Returns the caller's X-Request-Id if it is a UUID, else a new one. */
function requestId(request: IncomingMessage): string {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' && UUID.test(header) ? header : randomUUID();
}

function useResponseHeaders(app: App, setHeaders: SetHeaders): void {
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply);
    // Node.js ignores requests pipelined behind an Upgrade request. Closing tells the client not to wait for their responses.
    if (request.headers.upgrade !== undefined) reply.header('connection', 'close');
    // Continue after Node.js has parsed what arrived with the headers: if that is malformed, only the parse error is sent.
    queueMicrotask(done);
  });
}
