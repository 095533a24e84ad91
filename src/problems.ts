// Every way a request can be refused: name → status, wire code, message. The error handler, the OpenAPI document and the tests read it.

export const problems = {
  badRequest: { status: 400, code: 'BadRequest', message: 'The request body contains bad syntax or is incomplete.' },
  badQuery: { status: 400, code: 'BadRequest', message: 'The request query contains bad syntax or is incomplete.' },
  badHeader: { status: 400, code: 'BadRequest', message: 'A request header contains bad syntax.' },
  validation: { status: 400, code: 'ValidationError', message: 'Validation error(s) present.' },
  invalidAccessToken: { status: 401, code: 'InvalidAccessToken', message: 'Invalid access token.' },
  expiredAccessToken: { status: 401, code: 'ExpiredAccessToken', message: 'Expired access token.' },
  forbidden: { status: 403, code: 'Forbidden', message: 'The supplied credentials are not authorized for this resource.' },
  reallocationForbidden: { status: 403, code: 'Forbidden', message: 'Not authorized to create label reallocation' },
  labelForbidden: { status: 403, code: 'Forbidden', message: 'Not authorized to create customer label' },
  customerNotVerified: { status: 403, code: 'InvalidResourceState', message: 'Customer must be verified.' },
  statusUnreachable: { status: 403, code: 'InvalidResourceState', message: 'Customer status cannot be changed this way.' },
  customerClosed: { status: 403, code: 'InvalidResourceState', message: 'Customer is suspended or deactivated.' },
  labelNotEmpty: { status: 403, code: 'InvalidResourceState', message: 'Amount must be zero to remove label.' },
  notFound: { status: 404, code: 'NotFound', message: 'The requested resource was not found.' },
  labelNotFound: { status: 404, code: 'NotFound', message: 'Label not found' },
  customerNotFound: { status: 404, code: 'NotFound', message: 'Customer not found' },
  methodNotAllowed: { status: 405, code: 'MethodNotAllowed', message: 'The method is not allowed for this resource.' },
  invalidVersion: {
    status: 406,
    code: 'InvalidVersion',
    message: 'The Accept header does not name a media type and version of this service.',
  },
  conflict: { status: 409, code: 'Conflict', message: 'The Idempotency-Key was used for another request.' },
  requestTooLarge: { status: 413, code: 'RequestTooLarge', message: 'The request is too large.' },
  unsupportedType: {
    status: 415,
    code: 'UnsupportedRequestContentType',
    message: 'The Content-Type of the request is not supported.',
  },
  tooManyRequests: { status: 429, code: 'TooManyRequests', message: 'Too many requests. Try again later.' },
  serverError: { status: 500, code: 'ServerError', message: 'A server error occurred.' },
  unavailable: {
    status: 503,
    code: 'ServiceUnavailable',
    message: 'The service is unavailable. Try again with the same Idempotency-Key.',
  },
} as const satisfies Record<string, { status: number; code: string; message: string }>;

export type ProblemName = keyof typeof problems;

/** One refused value: where (a JSON pointer, RFC 6901), which rule, and in words. */
export type Fault = {
  code: 'Required' | 'Invalid' | 'InvalidFormat' | 'Duplicate' | 'NotAllowed' | 'InsufficientFunds' | 'ReadOnly';
  message: string;
  path: string;
};

type Details = {
  message?: string;
  faults?: Fault[];
  /** The resource the answer is about: type and id. */
  about?: { type: string; id: string };
  headers?: Record<string, string>;
};

/** A refusal on its way to the caller. */
export class Refusal extends Error {
  readonly problem: ProblemName;
  readonly details: Details;

  constructor(problem: ProblemName, details: Details = {}) {
    super(details.message ?? problems[problem].message);
    this.problem = problem;
    this.details = details;
  }
}

/** A refusal to throw: `throw refuse('labelNotFound')`. */
export function refuse(problem: ProblemName, details?: Details): Refusal {
  return new Refusal(problem, details);
}

/** A ValidationError of one or more refused values; its message names the first in words, as people log only that. */
export function invalid(...faults: [Fault, ...Fault[]]): Refusal {
  return new Refusal('validation', { message: faults[0].message, faults });
}
