// The errors of the client: a class for each code of the service, and one for no answer at all.
import type { Fault } from './openapi.ts';

/** What was sent, as told in messages: never its body, which may hold personal data. */
export type Sent = { method: string; path: string };

type Answer = { status: number; headers: Headers; text: string };

type ProblemBody = {
  code?: string;
  message?: string;
  _links?: { about?: { href: string } };
  _embedded?: { errors?: Fault[] };
};

/** As much of an answer that is not the service's as a message can bear. */
const EXCERPT_CHARACTERS = 200;

/** The service refused a request. The message says which one and why, and is all that a log needs. */
export class EarmarkError extends Error {
  readonly status: number;
  /** The service's own code, such as `ValidationError`; `Unexpected` when the answer is not the service's. */
  readonly code: string;
  /** What the service gave as its reason, without where and when. */
  readonly reason: string;
  /** For whoever runs the service: finds the request in its log. */
  readonly requestId: string | undefined;
  /** The URL of the resource that is in the way: the earlier document, or what an idempotency key made. */
  readonly about: string | undefined;
  /** How long the service asks to be left alone. */
  readonly retryAfterSeconds: number | undefined;

  constructor(sent: Sent, answer: Answer, body: ProblemBody) {
    const reason = reasonOf(answer, body);
    const code = body.code ?? 'Unexpected';
    const requestId = answer.headers.get('x-request-id') ?? undefined;
    const place = [`${answer.status} ${code}`, ...(requestId ? [`request ${requestId}`] : [])].join(', ');
    super(`${sent.method} ${sent.path}: ${reason} (${place})`);
    this.name = new.target.name;
    this.status = answer.status;
    this.code = code;
    this.reason = reason;
    this.requestId = requestId;
    this.about = body._links?.about?.href;
    this.retryAfterSeconds = retryAfterOf(answer.headers);
  }
}

/** One or more values were refused. */
export class ValidationError extends EarmarkError {
  /** Each with the JSON pointer (RFC 6901) to the refused member as `path`. */
  readonly faults: Fault[];

  constructor(sent: Sent, answer: Answer, body: ProblemBody) {
    super(sent, answer, body);
    this.faults = body._embedded?.errors ?? [];
  }

  /** Whether a fault has this code, as `InsufficientFunds`, and this place where one is named. */
  has(code: Fault['code'], path?: string): boolean {
    return this.faults.some((fault) => fault.code === code && (path === undefined || fault.path === path));
  }
}

export class BadRequestError extends EarmarkError {}
export class DuplicateResourceError extends EarmarkError {}
export class MaxNumberOfResourcesError extends EarmarkError {}
export class InvalidFileTypeError extends EarmarkError {}
export class BadFileError extends EarmarkError {}
export class InvalidAccessTokenError extends EarmarkError {}
export class ExpiredAccessTokenError extends EarmarkError {}
export class ForbiddenError extends EarmarkError {}
export class InvalidResourceStateError extends EarmarkError {}
export class NotFoundError extends EarmarkError {}
export class MethodNotAllowedError extends EarmarkError {}
export class InvalidVersionError extends EarmarkError {}
export class RequestTimeoutError extends EarmarkError {}
export class ConflictError extends EarmarkError {}
export class FileTooLargeError extends EarmarkError {}
export class RequestTooLargeError extends EarmarkError {}
export class UnsupportedRequestContentTypeError extends EarmarkError {}
export class TooManyRequestsError extends EarmarkError {}
export class ServerError extends EarmarkError {}
export class ServiceUnavailableError extends EarmarkError {}
/** The credentials, or the scope asked for, were refused by the token endpoint. */
export class TokenRefusedError extends EarmarkError {}

/** The class of each code of the service. */
export const errorClasses: Readonly<Record<string, typeof EarmarkError>> = {
  BadRequest: BadRequestError,
  ValidationError,
  DuplicateResource: DuplicateResourceError,
  MaxNumberOfResources: MaxNumberOfResourcesError,
  InvalidFileType: InvalidFileTypeError,
  BadFile: BadFileError,
  InvalidAccessToken: InvalidAccessTokenError,
  ExpiredAccessToken: ExpiredAccessTokenError,
  Forbidden: ForbiddenError,
  InvalidResourceState: InvalidResourceStateError,
  NotFound: NotFoundError,
  MethodNotAllowed: MethodNotAllowedError,
  InvalidVersion: InvalidVersionError,
  RequestTimeout: RequestTimeoutError,
  Conflict: ConflictError,
  FileTooLarge: FileTooLargeError,
  RequestTooLarge: RequestTooLargeError,
  UnsupportedRequestContentType: UnsupportedRequestContentTypeError,
  TooManyRequests: TooManyRequestsError,
  ServerError,
  ServiceUnavailable: ServiceUnavailableError,
  InvalidClient: TokenRefusedError,
  InvalidRequest: TokenRefusedError,
  UnsupportedGrantType: TokenRefusedError,
  InvalidScope: TokenRefusedError,
};

/** No answer came, at the last attempt either. A POST may have had its effect: sent again with the same key it has one at most. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly idempotencyKey: string | undefined;

  constructor(sent: Sent, attempts: number, cause: unknown, idempotencyKey: string | undefined) {
    const times = attempts === 1 ? '' : ` after ${attempts} attempts`;
    const advice = idempotencyKey ? `; whether it had its effect is settled by idempotencyKey ${idempotencyKey}` : '';
    super(`${sent.method} ${sent.path}: no answer${times} (${causeOf(cause)})${advice}`, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** A link that a resource does not have: what it stands for is not possible in its state. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** The error of an answer that refuses. */
export function errorOf(sent: Sent, answer: Answer): EarmarkError {
  const body = parse(answer.text);
  const Class = (body.code !== undefined && errorClasses[body.code]) || EarmarkError;
  return new Class(sent, answer, body);
}

/** The seconds that Retry-After asks for (RFC 9110 §10.2.3: seconds, or a date); undefined without one. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (!text) return undefined;
  if (/^[0-9]+$/.test(text)) return Number(text);
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : Math.max(0, (ms - Date.now()) / 1000);
}

function parse(text: string): ProblemBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as ProblemBody) : {};
  } catch {
    return {};
  }
}

function reasonOf({ status, text }: Answer, { message, _embedded }: ProblemBody): string {
  const faults = _embedded?.errors ?? [];
  if (faults.length > 0) return faults.map((fault) => `${fault.message} [${fault.path}]`).join(' ');
  return message ?? (text.slice(0, EXCERPT_CHARACTERS).replace(/\s+/g, ' ').trim() || `HTTP ${status} without a body`);
}

function causeOf(cause: unknown): string {
  const { message, cause: inner } = cause as { message?: string; cause?: { code?: string; message?: string } };
  return inner?.code ?? inner?.message ?? message ?? String(cause);
}
