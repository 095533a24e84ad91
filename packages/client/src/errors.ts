// Errors of the client: one class per error code of the service, and one for a missing response.
import type { Fault } from './openapi.ts';

/** The request as shown in messages. Excludes the body, which may contain personal data. */
export type Sent = { method: string; path: string };

type Answer = { status: number; headers: Headers; text: string };

type ProblemBody = {
  code?: string;
  message?: string;
  _links?: { about?: { href: string } };
  _embedded?: { errors?: Fault[] };
};

/** How much of a response that is not from the service a message includes. */
const EXCERPT_CHARACTERS = 200;

/** An error response. The message contains the request, the reason and the request id, so it is sufficient for a log. */
export class EarmarkError extends Error {
  // Spelled out, because a bundler may rename classes.
  override readonly name: string = 'EarmarkError';
  readonly status: number;
  /** The error code, such as `ValidationError`; `Unexpected` when the response is not from the service. */
  readonly code: string;
  /** The message of the service, without request and status. */
  readonly reason: string;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;
  /** The URL of the conflicting resource: the earlier document, or the one created with the same idempotency key. */
  readonly about: string | undefined;
  /** The Retry-After of the response, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(sent: Sent, answer: Answer, body: ProblemBody) {
    const reason = reasonOf(answer, body);
    const code = body.code ?? 'Unexpected';
    const requestId = answer.headers.get('x-request-id') ?? undefined;
    const details = [`${answer.status} ${code}`, ...(requestId ? [`request ${requestId}`] : [])].join(', ');
    super(`${sent.method} ${sent.path}: ${reason} (${details})`);
    this.status = answer.status;
    this.code = code;
    this.reason = reason;
    this.requestId = requestId;
    this.about = body._links?.about?.href;
    this.retryAfterSeconds = retryAfterOf(answer.headers);
  }
}

class FaultsError extends EarmarkError {
  /** Each fault has the JSON pointer (RFC 6901) to the invalid member as `path`; the empty pointer is the whole body. */
  readonly faults: Fault[];

  constructor(sent: Sent, answer: Answer, body: ProblemBody) {
    super(sent, answer, body);
    this.faults = body._embedded?.errors ?? [];
  }

  /** Whether there is a fault with this code, such as `InsufficientFunds`, and with this path if one is given. */
  has(code: Fault['code'], path?: string): boolean {
    return this.faults.some((fault) => fault.code === code && (path === undefined || fault.path === path));
  }
}

/** One or more values are invalid, or members are not known. */
export class ValidationError extends FaultsError {
  override readonly name = 'ValidationError';
}
/** The body is not readable, members are missing or have the wrong type. There are no faults if another part of the request is malformed. */
export class BadRequestError extends FaultsError {
  override readonly name = 'BadRequestError';
}
export class DuplicateResourceError extends EarmarkError {
  override readonly name = 'DuplicateResourceError';
}
export class MaxNumberOfResourcesError extends EarmarkError {
  override readonly name = 'MaxNumberOfResourcesError';
}
export class InvalidFileTypeError extends EarmarkError {
  override readonly name = 'InvalidFileTypeError';
}
export class BadFileError extends EarmarkError {
  override readonly name = 'BadFileError';
}
export class InvalidAccessTokenError extends EarmarkError {
  override readonly name = 'InvalidAccessTokenError';
}
export class ExpiredAccessTokenError extends EarmarkError {
  override readonly name = 'ExpiredAccessTokenError';
}
export class ForbiddenError extends EarmarkError {
  override readonly name = 'ForbiddenError';
}
export class InvalidResourceStateError extends EarmarkError {
  override readonly name = 'InvalidResourceStateError';
}
export class NotFoundError extends EarmarkError {
  override readonly name = 'NotFoundError';
}
export class MethodNotAllowedError extends EarmarkError {
  override readonly name = 'MethodNotAllowedError';
}
export class InvalidVersionError extends EarmarkError {
  override readonly name = 'InvalidVersionError';
}
export class RequestTimeoutError extends EarmarkError {
  override readonly name = 'RequestTimeoutError';
}
export class ConflictError extends EarmarkError {
  override readonly name = 'ConflictError';
}
export class FileTooLargeError extends EarmarkError {
  override readonly name = 'FileTooLargeError';
}
export class RequestTooLargeError extends EarmarkError {
  override readonly name = 'RequestTooLargeError';
}
export class UnsupportedRequestContentTypeError extends EarmarkError {
  override readonly name = 'UnsupportedRequestContentTypeError';
}
export class TooManyRequestsError extends EarmarkError {
  override readonly name = 'TooManyRequestsError';
}
export class ServerError extends EarmarkError {
  override readonly name = 'ServerError';
}
export class ServiceUnavailableError extends EarmarkError {
  override readonly name = 'ServiceUnavailableError';
}
/** The token endpoint refused the credentials or the requested scope. */
export class TokenRefusedError extends EarmarkError {
  override readonly name = 'TokenRefusedError';
}

/** The error class of each error code. */
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
  InvalidAuthorizationDetails: TokenRefusedError,
  InvalidDpopProof: TokenRefusedError,
  UseDpopNonce: TokenRefusedError,
};

/** No attempt got a response. A POST may have taken effect: sending it again with the same idempotency key is safe. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly idempotencyKey: string | undefined;

  constructor(sent: Sent, attempts: number, cause: unknown, idempotencyKey: string | undefined) {
    const times = attempts === 1 ? '' : ` after ${attempts} attempts`;
    const advice = idempotencyKey ? `; to find out whether it took effect, retry with idempotencyKey ${idempotencyKey}` : '';
    super(`${sent.method} ${sent.path}: no response${times} (${causeOf(cause)})${advice}`, { cause });
    this.idempotencyKey = idempotencyKey;
  }
}

/** A resource does not have the link: its action is not possible in the current state. */
export class LinkError extends Error {
  override readonly name = 'LinkError';
}

/** Returns the error for an error response. */
export function errorOf(sent: Sent, answer: Answer): EarmarkError {
  const body = parse(answer.text);
  const Class = (body.code !== undefined && errorClasses[body.code]) || EarmarkError;
  return new Class(sent, answer, body);
}

/** Returns Retry-After in seconds (RFC 9110 §10.2.3: seconds or a date); undefined without the header. */
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
