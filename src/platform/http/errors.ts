// The error handler: maps every thrown error to a problem and sends its error body.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { type Fault, type ProblemName, problems, Refusal, refuse } from '../../core/problems.ts';
import { isDatabaseUnavailable } from '../db/unavailable.ts';
import { type Outage, openOutage } from '../telemetry/outage.ts';
import { absentIn } from './absent-paths.ts';
import type { Links } from './links.ts';
import { type SchemaError, unknownMember, wantedType } from './schema-errors.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The error code of the response, and the code of its first fault. Undefined unless refused. */
    refusal: { code: string; fault?: Fault['code'] } | undefined;
  }
}

// Problems for errors that Fastify raises, by error code.
const FASTIFY_PROBLEMS: Record<string, ProblemName> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupportedType',
  FST_ERR_CTP_BODY_TOO_LARGE: 'requestTooLarge',
  FST_ERR_BAD_URL: 'badUrl',
  // The parameter is longer than any id.
  FST_ERR_MAX_PARAM_LENGTH: 'notFound',
};
const DOCUMENTATION = '/docs';
const RETRY_AFTER_SECONDS = '1';
/** Words of member names that are abbreviations. */
const ABBREVIATIONS = new Set(['ssn', 'ein', 'url', 'ip']);
/** Maximum number of faults in a response. A body may contain thousands of invalid values. */
export const FAULTS_MAX = 50;

/**
 * Installs the error handler. Refuses before the body is read: requests while the service closes (503), requests that match no
 * route (404, or 405 if another method does), and requests without exactly one Host (RFC 9112 §3.2).
 */
export function useProblems(app: FastifyInstance, links: Links): void {
  app.decorateReply('refusal');
  const routes: { pattern: RegExp; method: string }[] = [];
  app.addHook('onRoute', (route) => {
    const pattern = new RegExp(`^${route.url.replaceAll('.', '\\.').replace(/:[^/]+/g, '[^/]+')}$`);
    for (const method of [route.method].flat()) routes.push({ pattern, method });
  });
  const refuseUnknown = (request: FastifyRequest): Refusal => {
    // The part of the URL that the router matches.
    const path = request.url.split(/[?#]/, 1)[0]!;
    const allowed = new Set(routes.filter((route) => route.pattern.test(path)).map((route) => route.method));
    return allowed.size > 0
      ? refuse('methodNotAllowed', { headers: { allow: [...allowed].join(', ') } })
      : unknownPath(path, links);
  };
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (closing) return done(refuse('unavailable'));
    const hosts = countHosts(request.raw.rawHeaders);
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) return done(refuse('badHeader'));
    if (request.is404) return done(refuseUnknown(request));
    done(null, payload);
  });
  // A connection that is kept alive would delay the close.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  app.setNotFoundHandler((request) => {
    throw refuseUnknown(request);
  });
  const outage = openOutage(app.log, 'database is unavailable');
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, { links, outage }));
}

/** Counts the Host headers: Node.js silently keeps the first, but a proxy may have routed by another (request smuggling). */
export function countHosts(rawHeaders: string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** The refusal of a path without a route. Its message has the link too, because many clients log only the message. */
function unknownPath(path: string, links: Links): Refusal {
  const reason = absentIn(path) ?? problems.unknownPath.message;
  return refuse('unknownPath', { message: `${reason} See ${links.url(DOCUMENTATION)}`, documentation: DOCUMENTATION });
}

/** Sends the error response for any thrown error. */
export function answerError(
  error: FastifyError | Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  { links, outage }: { links: Links; outage?: Outage },
): FastifyReply {
  return sendRefusal(toRefusal(error, request, outage), request, reply, links);
}

function sendRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply, links: Links) {
  return reply.serializer(JSON.stringify).send(prepareRefusal(refusal, request, reply, links));
}

/** Sets the status and headers of a refusal, and returns its body. */
export function prepareRefusal(refusal: Refusal, request: FastifyRequest, reply: FastifyReply, links: Links): object {
  const { faults, about, documentation, headers } = refusal.details;
  const { status, code } = problems[refusal.problem];
  reply.refusal = { code, ...(faults?.[0] && { fault: faults[0].code }) };
  reply
    .code(status)
    .type(`${links.mediaType}; charset=utf-8`)
    .headers(headers ?? {});
  if ((status === 429 || status === 503) && !headers?.['retry-after']) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (status === 401 && !headers?.['www-authenticate']) reply.header('www-authenticate', tokenChallenge(refusal.message));
  const message = status === 500 ? `A server error occurred. Error ID: ${request.id}` : refusal.message;
  return {
    ...(about && { _links: { about: links.to(about.type, about.id) } }),
    ...(documentation && { _links: { about: documentationLink(links.url(documentation)) } }),
    ...(faults && { _embedded: { errors: faults.slice(0, FAULTS_MAX).map((fault) => ({ ...fault, _links: {} })) } }),
    code,
    message,
  };
}

/** The challenge for an invalid token (RFC 6750 §3). */
function tokenChallenge(message: string): string {
  return `Bearer realm="earmark", error="invalid_token", error_description="${message}"`;
}

function documentationLink(href: string) {
  return { href, type: 'text/html', 'resource-type': 'documentation' };
}

/** The refusal for any thrown error. Logs those that are not the caller's. */
export function toRefusal(error: FastifyError | Refusal, request: FastifyRequest, outage: Outage | undefined): Refusal {
  if (error instanceof Refusal) return error;
  if (error.validation) return fromValidation(error.validation, error.validationContext, request);
  const fastifyProblem = FASTIFY_PROBLEMS[error.code];
  if (fastifyProblem) return refuse(fastifyProblem);
  // Other request errors of Fastify, and requests aborted while their body was read.
  if (error.statusCode !== undefined && error.statusCode < 500) return refuse('badRequest');
  if (isDatabaseUnavailable(error)) {
    outage?.note(error, request.log);
    return refuse('unavailable');
  }
  request.log.error({ err: error }, 'request failed');
  return refuse('serverError');
}

/**
 * Maps schema errors to a refusal. A path parameter that cannot be an id is a missing resource (404). A body with a missing member
 * or one of the wrong type is a BadRequest, except on `form` routes. Each fault is reported with its path.
 */
function fromValidation(errors: FastifySchemaValidationError[], context: string | undefined, request: FastifyRequest): Refusal {
  const { config } = request.routeOptions;
  if (context === 'params') return refuse(config.missing ?? 'notFound');
  if (context === 'headers') return refuse('badHeader');
  const isStructure = (error: FastifySchemaValidationError) => error.keyword === 'required' || error.keyword === 'type';
  const isBody = errors.some((error) => error.instancePath === '' && error.keyword === 'type');
  const reported = errors.filter((error) => error.keyword !== 'if' && !('propertyName' in error));
  const faults = reported.slice(0, FAULTS_MAX).map(toFault);
  if (isBody || (!config.form && errors.some(isStructure))) return refuse('badRequest', { faults });
  return refuse('validation', { message: faults[0]?.message ?? problems.validation.message, faults });
}

/** The fault of a schema error. */
export function toFault(error: SchemaError): Fault {
  const { keyword, params, instancePath } = error;
  if (keyword === 'required') {
    const path = `${instancePath}/${params.missingProperty}`;
    return { code: 'Required', message: `${wordsOf(path)} is required.`, path };
  }
  if (keyword === 'discriminator') {
    const path = `${instancePath}/${params.tag}`;
    return params.error === 'tag'
      ? { code: 'Required', message: `${wordsOf(path)} is required.`, path }
      : { code: 'Invalid', message: `${wordsOf(path)} is not one of the allowed values.`, path };
  }
  if (keyword === 'propertyNames') {
    const path = pointerTo(instancePath, String(params.propertyName));
    return { code: 'InvalidFormat', message: `${wordsOf(instancePath)} has a name with an invalid format.`, path };
  }
  if (keyword === 'additionalProperties') {
    const path = pointerTo(instancePath, String(params.additionalProperty));
    return { code: 'NotAllowed', message: unknownMember(error), path };
  }
  const words = wordsOf(instancePath);
  const path = instancePath;
  if (keyword === 'minLength') return { code: 'Required', message: `${words} must not be empty.`, path };
  if (keyword === 'maxLength')
    return { code: 'Invalid', message: `${words} must have at most ${params.limit} characters.`, path };
  if (keyword === 'maxItems') return { code: 'Invalid', message: `${words} must have at most ${params.limit} items.`, path };
  if (keyword === 'minItems') return { code: 'Required', message: `${words} must not be empty.`, path };
  if (keyword === 'maxProperties') return { code: 'Invalid', message: `${words} must have at most ${params.limit} pairs.`, path };
  if (keyword === 'enum')
    return { code: 'Invalid', message: `${words} must be one of ${(params.allowedValues as string[]).join(', ')}.`, path };
  if (keyword === 'type') {
    const message = path === '' ? 'The body must be a JSON object.' : `${words} must be ${wantedType(error)}.`;
    return { code: 'Invalid', message, path };
  }
  if (keyword === 'uniqueItems') return { code: 'Invalid', message: `${words} must not have duplicates.`, path };
  if (keyword === 'minimum') return { code: 'Invalid', message: `${words} must be at least ${params.limit}.`, path };
  if (keyword === 'maximum') return { code: 'Invalid', message: `${words} must be at most ${params.limit}.`, path };
  if (keyword === 'pattern' || keyword === 'format')
    return { code: 'InvalidFormat', message: `${words} has an invalid format.`, path };
  return { code: 'Invalid', message: `${words} ${error.message}.`, path };
}

function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A member of a body in messages: `/controller/dateOfBirth` → `Controller date of birth` */
export function wordsOf(pointer: string): string {
  const words = pointer
    .replaceAll('/', ' ')
    .trim()
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^_links /, '')
    .split(' ')
    .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
