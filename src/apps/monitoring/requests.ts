// Request instrumentation: one log line, metrics and a span for each request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../platform/http/route.ts';
import { type Current, runWithRequest } from '../../platform/telemetry/current.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Counter, Histogram } from '../../platform/telemetry/registry.ts';
import type { SpanContext, SpanData, Tracing } from '../../platform/telemetry/trace.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Polled by monitoring, so its requests are logged at level debug. */
    isPolled?: boolean;
  }
  interface FastifyRequest {
    current: Current;
  }
}

type Requests = {
  /** Records a request once its response is closed. */
  track(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts a request that was refused before it could be parsed. */
  countUnparsed(code: string): void;
};

/** What the log line and the span of a request contain. */
type Line = {
  application: string | undefined;
  method: string;
  route: string;
  status: number | undefined;
  code?: string;
  fault?: string;
  durationMs: number;
  batchSize: number | undefined;
  /** The id of the resource that the request created, to find the request of a transfer. */
  created?: string;
};
type SpanDetails = { beganMs: number; parent: SpanContext | undefined };

/** The metrics of one method of one route. */
type Route = { statuses: Map<string, Counter>; seconds: Histogram };

const UNKNOWN = '(unknown)';
const ABORTED = 'aborted';
const CREATED = 201;
/** The lowest status of a refused request. */
const REFUSED = 400;
const CLASSES = ['', '1xx', '2xx', '3xx', '4xx', '5xx'];

/** `countCall` is called at the end of each request of an application. */
export function openRequests(
  { http }: Metrics,
  tracing: Tracing | undefined,
  countCall: (application: string, isRefused: boolean) => void,
): Requests {
  const count = openRouteCounter(http);
  let inFlight = 0;

  function end(request: FastifyRequest, reply: FastifyReply, details: SpanDetails): void {
    const { current, method } = request;
    const { url: route = UNKNOWN, config } = request.routeOptions;
    const { statusCode, elapsedTime, refusal } = reply;
    const aborted = !reply.raw.writableFinished;
    http.inFlight.set(--inFlight);
    count(method, route, aborted ? ABORTED : CLASSES[Math.floor(statusCode / 100)]!, elapsedTime / 1000);
    if (refusal) http.refusals({ code: refusal.code, fault: refusal.fault ?? '' }).add();
    const application = current.application ?? request.caller?.applicationId;
    if (application !== undefined) countCall(application, statusCode >= REFUSED);
    const line: Line = {
      application,
      method,
      route,
      status: aborted ? undefined : statusCode,
      ...(aborted && { aborted }),
      ...refusal,
      durationMs: Math.round(elapsedTime * 10) / 10,
      batchSize: current.batchSize,
      ...(statusCode === CREATED && { created: lastSegment(reply.getHeader('location') as string) }),
    };
    if (current.span) tracing?.record(current.span, spanOf(request, line, details));
    if (config?.isPolled) request.log.debug(line, 'request');
    else request.log.info(line, 'request');
  }

  return {
    track(request, reply) {
      const beganMs = performance.now();
      const entered = tracing?.enter(request.headers.traceparent as string | undefined);
      request.current = {
        id: request.id,
        application: undefined,
        batchSize: undefined,
        span: entered?.span,
        eventIds: undefined,
      };
      http.inFlight.set(++inFlight);
      // Unlike `finish` and the hook onResponse, `close` is also emitted for aborted requests.
      reply.raw.on('close', () => end(request, reply, { beganMs, parent: entered?.parent }));
    },
    countUnparsed: (code) => http.refusals({ code, fault: '' }).add(),
  };
}

/** Returns a function that counts a request. It keeps the metrics of each route, because finding them by labels takes longer. */
function openRouteCounter(http: Metrics['http']) {
  const routes = new Map<string, Route>();

  function routeOf(method: string, route: string): Route {
    const key = `${method} ${route}`;
    let metrics = routes.get(key);
    if (!metrics) {
      metrics = { statuses: new Map(), seconds: http.seconds({ method, route }) };
      routes.set(key, metrics);
    }
    return metrics;
  }

  return (method: string, route: string, status: string, seconds: number): void => {
    const { statuses, seconds: histogram } = routeOf(method, route);
    let counter = statuses.get(status);
    if (!counter) {
      counter = http.requests({ method, route, status });
      statuses.set(status, counter);
    }
    counter.add();
    histogram.observe(seconds);
  };
}

function lastSegment(location: string): string {
  return location.slice(location.lastIndexOf('/') + 1);
}

function spanOf({ id, current }: FastifyRequest, line: Line, { beganMs, parent }: SpanDetails): SpanData {
  const { method, route, status, code, fault, application, batchSize } = line;
  return {
    name: `${method} ${route}`,
    kind: 'server',
    beganMs,
    endedMs: performance.now(),
    parent,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'error.type': code,
      'earmark.fault': fault,
      'earmark.request_id': id,
      'earmark.application': application,
      'earmark.batch_size': batchSize,
      'earmark.event_id': current.eventIds?.join(' '),
    },
    ...(status !== undefined && status < 500 ? {} : { error: code ?? ABORTED }),
  };
}

/** Tracks every request. Must be installed before any hook that may refuse one. */
export function useTelemetry(app: App, requests: Requests): void {
  app.decorateRequest('current');
  app.addHook('onRequest', (request, reply, done) => {
    requests.track(request, reply);
    done();
  });
  // Not earlier: the body parser continues in another async context.
  app.addHook('preHandler', (request, _reply, done) => runWithRequest(request.current, done));
}
