// Answers for refusals and faults: turns whatever was thrown into one line of problems.ts and its body.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { isAway } from '../db/away.ts';
import { type Fault, type ProblemName, problems, Refusal, refuse } from '../problems.ts';
import { type Outage, openOutage } from '../telemetry/outage.ts';
import type { Links } from './links.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** What a refused request was refused with: the code of the answer, and of the first of its faults. */
    refusal: { code: string; fault?: Fault['code'] } | undefined;
  }
}

// What Fastify itself refuses, by its error codes.
const FRAMEWORK: Record<string, ProblemName> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupportedType',
  FST_ERR_CTP_BODY_TOO_LARGE: 'requestTooLarge',
  FST_ERR_BAD_URL: 'badUrl',
  // longer than any id
  FST_ERR_MAX_PARAM_LENGTH: 'notFound',
};
const RETRY_AFTER_SECONDS = '1';
/** Faults that an answer reports. A body can hold thousands of values, each of them wrong. */
export const FAULTS_MAX = 50;

/**
 * Installs the error handler, and before any body is read the refusal of what no route will answer: while the service closes (503),
 * on unknown routes (404, or 405 where another method has a route), and without exactly one Host (RFC 9112 §3.2).
 */
export function useProblems(app: FastifyInstance, links: Links): void {
  app.decorateReply('refusal');
  const known: { pattern: RegExp; method: string }[] = [];
  app.addHook('onRoute', (route) => {
    const pattern = new RegExp(`^${route.url.replaceAll('.', '\\.').replace(/:[^/]+/g, '[^/]+')}$`);
    for (const method of [route.method].flat()) known.push({ pattern, method });
  });
  const unknown = (request: FastifyRequest): Refusal => {
    // What the router looks at.
    const path = request.url.split(/[?#]/, 1)[0]!;
    const allowed = new Set(known.filter((route) => route.pattern.test(path)).map((route) => route.method));
    return allowed.size > 0 ? refuse('methodNotAllowed', { headers: { allow: [...allowed].join(', ') } }) : refuse('notFound');
  };
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (closing) return done(refuse('unavailable'));
    const hosts = countHosts(request.raw.rawHeaders);
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) return done(refuse('badHeader'));
    if (request.is404) return done(unknown(request));
    done(null, payload);
  });
  // Kept open after its answer, a connection would keep the service from ending.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  app.setNotFoundHandler((request) => {
    throw unknown(request);
  });
  const outage = openOutage(app.log, 'database is away');
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, { links, outage }));
}

/** How often a Host was sent: Node.js keeps the first and says nothing of another, which a proxy may have gone by. */
export function countHosts(rawHeaders: string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** Answers whatever was thrown. */
export function answerError(
  error: FastifyError | Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
  { links, outage }: { links: Links; outage?: Outage },
): FastifyReply {
  return answer(toRefusal(error, request, outage), request, reply, links);
}

function answer(refusal: Refusal, request: FastifyRequest, reply: FastifyReply, links: Links) {
  const { faults, about, headers } = refusal.details;
  const { status, code } = problems[refusal.problem];
  reply.refusal = { code, ...(faults?.[0] && { fault: faults[0].code }) };
  reply
    .code(status)
    .type(`${links.mediaType}; charset=utf-8`)
    .headers(headers ?? {});
  if ((status === 429 || status === 503) && !headers?.['retry-after']) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (status === 401 && !headers?.['www-authenticate']) reply.header('www-authenticate', 'Bearer error="invalid_token"');
  const message = status === 500 ? `A server error occurred. Error ID: ${request.id}` : refusal.message;
  return reply.serializer(JSON.stringify).send({
    ...(about && { _links: { about: links.to(about.type, about.id) } }),
    ...(faults && { _embedded: { errors: faults.slice(0, FAULTS_MAX).map((fault) => ({ ...fault, _links: {} })) } }),
    code,
    message,
  });
}

function toRefusal(error: FastifyError | Refusal, request: FastifyRequest, outage: Outage | undefined): Refusal {
  if (error instanceof Refusal) return error;
  if (error.validation) return fromValidation(error.validation, error.validationContext, request);
  const framework = FRAMEWORK[error.code];
  if (framework) return refuse(framework);
  // Fastify's own faults of a request, and a caller who hung up in the middle of a body.
  if (error.statusCode !== undefined && error.statusCode < 500) return refuse('badRequest');
  if (isAway(error)) {
    outage?.note(error, request.log);
    return refuse('unavailable');
  }
  request.log.error({ err: error }, 'request failed');
  return refuse('serverError');
}

/**
 * What a schema found. A path that cannot be an id is a resource that does not exist. In a body, a member that is missing or
 * of the wrong type is bad syntax, except on a route that is a `form`: there every fault is told with its place.
 */
function fromValidation(errors: FastifySchemaValidationError[], context: string | undefined, request: FastifyRequest): Refusal {
  const { config } = request.routeOptions;
  if (context === 'params') return refuse(config.missing ?? 'notFound');
  if (context === 'headers') return refuse('badHeader');
  const isStructure = (error: FastifySchemaValidationError) => error.keyword === 'required' || error.keyword === 'type';
  const isBody = errors.some((error) => error.instancePath === '' && error.keyword === 'type');
  if (isBody || (!config.form && errors.some(isStructure))) return refuse('badRequest');
  const faults = errors.filter((error) => error.keyword !== 'if').map(toFault);
  return refuse('validation', { message: faults[0]?.message ?? problems.validation.message, faults });
}

function toFault(error: FastifySchemaValidationError): Fault {
  const { keyword, params, instancePath } = error;
  if (keyword === 'required') {
    const path = `${instancePath}/${params.missingProperty}`;
    return { code: 'Required', message: `${wordsOf(path)} is required.`, path };
  }
  if (keyword === 'discriminator') {
    const path = `${instancePath}/${params.tag}`;
    return params.error === 'tag'
      ? { code: 'Required', message: `${wordsOf(path)} is required.`, path }
      : { code: 'Invalid', message: `${wordsOf(path)} is not one of the values allowed.`, path };
  }
  const words = wordsOf(instancePath);
  const path = instancePath;
  if (keyword === 'minLength') return { code: 'Required', message: `${words} must not be empty.`, path };
  if (keyword === 'maxLength')
    return { code: 'Invalid', message: `${words} must have at most ${params.limit} characters.`, path };
  if (keyword === 'maxItems') return { code: 'Invalid', message: `${words} must have at most ${params.limit} items.`, path };
  if (keyword === 'enum')
    return { code: 'Invalid', message: `${words} must be one of ${(params.allowedValues as string[]).join(', ')}.`, path };
  if (keyword === 'type') return { code: 'Invalid', message: `${words} must be a ${params.type}.`, path };
  if (keyword === 'pattern' || keyword === 'format')
    return { code: 'InvalidFormat', message: `${words} has an invalid format.`, path };
  return { code: 'Invalid', message: `${words} ${error.message}.`, path };
}

/** `/controller/dateOfBirth` → `Controller date of birth` */
function wordsOf(pointer: string): string {
  const words = pointer
    .replaceAll('/', ' ')
    .trim()
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^_links /, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
